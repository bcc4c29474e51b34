"""What each technique saves on workloads that differ in what is sent most."""
