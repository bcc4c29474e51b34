"""Bills for people: tables in the terminal."""
