"""The deployment file: YAML to a validated `Deployment`.

In reading order: `deployment` (the result), `reader` (the three passes), `document` (YAML), `schema` (all keys) with
`shape` (messages about them), `sections` and `tables` (entries from the file or from tables), `build` with `overlay`,
`topics`, `subscriptions`, `publishers`, `endpoints`, `values` and `reach` (references between entries), `mistakes`
(errors). From a deployment: `planning` (its plan), `techniques` (variants of its policy), `changes` (two versions
compared), `reference` (docs/deployment.md).
"""
