"""`sparing study` and `sparing bench`, which the command line finds as plug-ins."""
