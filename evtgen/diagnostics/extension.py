"""Codes of extensions of PyTorch."""

from __future__ import annotations

from .table import declare

NO_OPERATOR = declare(
    "EVT260",
    "An epilogue cannot be an operator of PyTorch",
    """`evtgen extension` makes an operator `torch.ops.NAMESPACE.NAME` of each epilogue. Its arguments are called `a`,
    `b` (and `b2`), then as the parameters of the epilogue, then `groups`. No parameter may be a keyword of Python. The
    namespace is a package of Python, too. PyTorch has no fractal layouts, so A and B are `RowMajor` or
    `ColumnMajor`. One extension is for one architecture.""",
    says={
        "namespace": ("{namespace} is no name of a package of Python", "for example my_ops"),
        "dispatch": (
            "{name} is both an epilogue and a Dispatch",
            "give the Dispatch alone: its last kernel is the epilogue",
        ),
        "taken": ("{namespace} is the name of another package or namespace", "for example my_ops"),
        "layout": (
            "{name} has {operand} as {layout}, which tensors of PyTorch are not",
            "take RowMajor or ColumnMajor",
        ),
        "checkout": (
            "{root} has no {place}, which an extension is added to",
            "give a checkout of Catlass v1.3.1 or later, or write a package: leave out --style",
        ),
        "keyword": ("{name} is a keyword of Python", "call it something else"),
        "not built": (
            "the operators cannot be built:\n{said}",
            "they need setuptools, CMake, a C++ compiler and torch, and for the device CANN and Catlass",
        ),
        "architectures": ("the epilogues are for several architectures", "make an extension for each: --arch"),
    },
)
