"""D = (C + X) + (C + X): one node, used twice, computed once."""

from evtgen import Epilogue, TopologicalVisitor, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute

matmul_add_topo = Epilogue(
    "matmul_add_topo",
    TopologicalVisitor(
        edges=[
            (),  # 0: AccLoad
            (),  # 1: AuxLoad
            (0, 1),  # 2: C + X
            (2, 2),  # 3: (C + X) + (C + X)
            (3,),  # 4: AuxStore
        ],
        ops=[
            AccLoad(half),
            AuxLoad("X", half),
            Compute("Plus", half),
            Compute("Plus", half),
            AuxStore("D", half),
        ],
    ),
    arguments=((), "X", (), (), "D"),
)
