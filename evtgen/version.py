"""The version, which manifests and ``evtgen --version`` name."""

__version__ = "0.3.0"
