"""Facts about a graph that rules, passes and the planner read: its size, its casts, its arguments, its share of UB."""
