"""The nouns of publish/subscribe as frozen values. Nothing here reads a file or knows an engine."""
