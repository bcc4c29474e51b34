"""The experiments of caeva, section IV: Figures 3 and 4, Tables I and II, and where CAEVA is ahead of Agele.

`grid` says what is measured; `overlays` draws brokers and links, `publishers` who is where, `reports` what they tell of
each event; `world` puts these together, and `measure` walks the same reports with every method. `results` looks
measurements up, `printed` holds the paper's own numbers against them, `figures`, `tables` and `page` show them.
"""
