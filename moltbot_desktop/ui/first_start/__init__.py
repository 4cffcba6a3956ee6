"""The first page of an empty home: language, examples, where everything is kept, what to bring."""
