"""Templates with what they give, as data; see `tests.cases.read`."""
