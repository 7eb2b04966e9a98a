"""Codes of Catlass's own visitor framework, EVG: what it cannot express, and releases without it."""

from __future__ import annotations

from .table import declare

_ELSEWHERE = "build it without --framework catlass: evtgen's own framework has it"

NOT_EVG = declare(
    "EVT175",
    "Catlass's visitor framework cannot express the epilogue",
    """With `--framework catlass` an epilogue is written in the nodes of Catlass's own visitor framework (v1.6 and
    later), for its kernels. They are for Ascend950, hold the accumulator whole, double the buffers of every node and
    share none of them, so epilogues of many nodes do not fit UB; and some nodes have no counterpart. evtgen's own
    framework, which is the default, has everything that the message names.""",
    says={
        "architecture": (
            "{name} is for {arch}, and Catlass's visitor kernels are for {other} alone",
            'write arch="{other}", or build it without --framework catlass',
        ),
        "used again": (
            "{alias} is a reduction that is used again, and Catlass's visitor kernels go over C once",
            _ELSEWHERE,
        ),
        "no counterpart": ("{alias} has no counterpart in Catlass's visitor framework", _ELSEWHERE),
        "atomic": ("{name} is deterministic, and reductions of Catlass's visitor framework are atomic", _ELSEWHERE),
        "casts": ("Catlass's visitor kernels do not cast the {b} of B to {a}", _ELSEWHERE),
        "scales": ("Catlass's visitor kernels do not multiply with scales", _ELSEWHERE),
        "kernel": ("{name} is for {kernel}, and Catlass's visitor framework has no such kernel", _ELSEWHERE),
        "accumulators": ("{name} reads two accumulators, and Catlass's visitor kernels compute one", _ELSEWHERE),
        "stages": (
            "workspace_stages={stages}: Catlass's kernels keep all of C in GM, or one block in UB",
            "leave workspace_stages out, or build it without --framework catlass",
        ),
        "policy": (
            'policy="{policy}": the visitor kernels of Catlass compute one block after the other',
            "leave policy out, or build it without --framework catlass",
        ),
        "buffers": (
            "buffers={buffers}: Catlass's block epilogue has {count} of every node's",
            "leave buffers out, or build it without --framework catlass",
        ),
        "block": (
            "half a block of {T}, {rows} x {columns}, is more than the {size} bytes of UB that "
            "Catlass's kernel keeps for it",
            "take a smaller l1",
        ),
        "no room": (
            "{count} nodes take {used} bytes of UB with tiles of {step} elements, and there are {size}; "
            "no two nodes share UB in Catlass's framework",
            _ELSEWHERE,
        ),
        "length": (
            "tiles of {asked} elements do not fit: {count} nodes have {size} bytes of UB, and no two of them share any "
            "in Catlass's framework",
            "take {longest} at most, or build it without --framework catlass",
        ),
    },
)
NO_EVG = declare(
    "EVT176",
    "The checkout has no visitor framework for Ascend950",
    """`--framework catlass` writes epilogues for Catlass's own visitor framework, EVG, and its kernels, which are part
    of Catlass from v1.6 on. Take such a release, or leave the option out: evtgen's own framework works with every
    release from v1.0.0 on.""",
    says={
        "": (
            "Catlass {release} in {root} has no visitor framework for Ascend950",
            "give a checkout of v1.6 or later, or leave out --framework catlass",
        ),
    },
)
