"""SQL text -> model: `parse.parse_query` for subscriptions, `parse.parse_where` for advertisements, and
`scores.parse_score` for what publishers rank by.

The way of a text: `tokens` cuts it up, `grammar` (for scores, `arithmetic`) builds the small tree of `syntax`, and
`conditions`, `select`, `windows` and `scores` give the tree its meaning over a topic. Whatever is wrong on the way
becomes a `LanguageError` that points at the piece of text in question.
"""
