"""Where the time of the matching stage goes."""
