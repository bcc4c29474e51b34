"""Which broker serves whom, and which links form the delivery tree."""
