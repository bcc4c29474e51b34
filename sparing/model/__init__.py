"""The data model: frozen values for the terms of publish/subscribe, without file access or Spark.

Reading order: `types` and `constraint` (values of one field), `box` (filters), `topic`, `window`, `functions` and
`subscription`, then `overlay`, `policy` and `bill`. `rank` and `expression` are for top-k, `merge` for merged topics.
"""
