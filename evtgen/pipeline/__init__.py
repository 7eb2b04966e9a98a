"""The ways through evtgen, each from specs to a result; the command line prints the results."""
