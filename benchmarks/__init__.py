"""What evtgen costs: `make bench`."""
