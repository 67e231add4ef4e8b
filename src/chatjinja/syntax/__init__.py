"""Template text to tree and back. Knows no values and no dialects, only a `SyntaxConfig`."""
