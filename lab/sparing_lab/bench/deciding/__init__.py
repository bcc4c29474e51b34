"""What decisions cost: ADOCK beside the other link policies, and beside Algorithm 1 as the paper writes it.

A cell (`cells`) is a trace of the stock workload with so many subscriptions and one kind of window. Its walks (`walks`)
are set out once under every policy, then walked in turn, again and again, and only the compiled walk is timed.
`literal` answers a sample of ADOCK's decisions with two maximum matchings each, which must agree. `measure` measures
all. One process, no Spark session.
"""
