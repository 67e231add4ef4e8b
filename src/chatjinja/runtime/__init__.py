"""What generated code calls: values, operators, conversions, filters, tests, methods, globals, limits."""
