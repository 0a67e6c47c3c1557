"""Studies of the literature, done again with Wordline: a package each, whose `STUDY` is what `wordline reproduce` runs."""
