"""Data sheets of drives: what a configuration would promise if it were sold."""
