"""The epilogues that other generators are tested with, in evtgen's language, each as a user would first type it."""
