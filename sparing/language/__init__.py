"""The parser: SQL text -> model.

Entry points are `parse.parse_query` for subscriptions, `parse.parse_where` for advertisements and `scores.parse_score`
for publishers' scores. Reading order: `tokens` splits the text, `grammar` (for scores, `arithmetic`) builds the syntax
tree of `syntax`, and `conditions`, `select`, `windows` and `scores` translate the tree for a topic. All errors are
`LanguageError`s that point at the wrong part of the text.
"""
