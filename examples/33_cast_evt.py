"""D = half(float(C) + float(X)): the sum in another precision than its operands."""

from evtgen import Epilogue, TreeVisitor, float32, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute

cast_evt = Epilogue(
    "cast_evt",
    TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(
            Cast(half, float32, "CAST_NONE"),
            TreeVisitor(
                Compute("Plus", float32),
                TreeVisitor(Cast(float32, half, "CAST_NONE"), AccLoad(half)),
                TreeVisitor(Cast(float32, half, "CAST_NONE"), AuxLoad("X", half)),
            ),
        ),
    ),
    arguments=(((((), ()), ("X", ()), ()), ()), "D"),
)
