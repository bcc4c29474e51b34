"""What was found out, for people: tables in the terminal and in Markdown, pages, maps and plots."""
