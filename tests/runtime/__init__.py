"""Values and built-ins, without lexer, parser or compiler."""
