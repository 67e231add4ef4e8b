"""Tree to Python code object. Knows no values: what generated code calls is `chatjinja.runtime.helpers`."""
