"""The recorded behaviour of the reference engine, case by case."""
