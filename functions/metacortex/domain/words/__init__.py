"""Words as they are found: folded, split, stemmed, weighed."""
