"""D = C + X: the smallest tree."""

from evtgen import Epilogue, TreeVisitor, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute

matmul_add_evt = Epilogue(
    "matmul_add_evt",
    TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(
            Compute("Plus", half),
            AccLoad(half),
            AuxLoad("X", half),
        ),
    ),
    arguments=(((), "X", ()), "D"),
)
