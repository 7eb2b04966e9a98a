"""The version, which manifests and ``evtgen --version`` name."""

__version__ = "0.2.0"
