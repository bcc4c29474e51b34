"""SQL text -> model: `parse.parse_query` for subscriptions, `parse.parse_where` for advertisements.

The way of a text: `tokens` cuts it up, `grammar` builds the small tree of `syntax`, and `conditions`, `select` and
`windows` give the tree its meaning over a topic. Whatever is wrong on the way becomes a `LanguageError` that points
at the piece of text in question.
"""
