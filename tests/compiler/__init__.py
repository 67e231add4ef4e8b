"""The compiler, by what compiled templates do."""
