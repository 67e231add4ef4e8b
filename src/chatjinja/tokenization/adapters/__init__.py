"""One module for each tokenizer library; each is imported when its first tokenizer comes."""
