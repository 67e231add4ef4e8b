"""A report as a file: JUnit and SARIF for CI, HTML for people; each module is loaded when it is asked for."""
