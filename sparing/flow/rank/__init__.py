"""Who is among the k best: top-k filtering as a publisher asks for it, with relevance, fairness and diversity."""
