"""The experiments of caeva, section IV: Figures 3 and 4, Tables I and II, and where CAEVA is ahead of Agele.

`grid` declares the experiments; `overlays` draws brokers and links, `publishers` places publishers, `reports` draws
their reports; `world` puts these together, and `measure` walks the same reports with every method. `results` has
statistics of the rows, `printed` compares them with the paper's numbers, `figures` and `tables` show them.
"""
