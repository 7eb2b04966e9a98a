"""What PyTorch's tracing writes, as a model would: fewer operators, and nothing twice."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...frontend.fx.images import as_matmuls
from ...frontend.fx.nodes import FxNode
from ...frontend.fx.npu import without_lists
from .graphs import FIXED


def simplified(graph_module: Any) -> Any:
    """A graph of ATen that computes the same; what was computed or viewed twice, is once."""
    torch = import_module("torch")
    aten = torch.ops.aten
    copies = (aten.clone.default, aten.alias.default, aten.detach.default, aten.lift_fresh_copy.default)
    graph = import_module("torch._functorch.compile_utils").fx_graph_cse(
        without_lists(graph_module, as_matmuls(graph_module, {}))
    )
    for node in graph.nodes:
        node.meta.setdefault(FIXED, None)
        if node.target in copies and _is_needless(node):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        elif node.target is aten._to_copy.default and node.kwargs.keys() <= {"dtype", "layout", "device"}:
            if node.kwargs.get("dtype") is not None and node.meta[FIXED].device == node.args[0].meta[FIXED].device:
                node.target, node.args, node.kwargs = aten.to.dtype, (node.args[0], node.kwargs["dtype"]), {}
        elif node.target is torch.ops.prims.convert_element_type.default:
            node.target = aten.to.dtype
        elif node.target is aten.native_layer_norm.default and all(user.args[1] == 0 for user in node.users):
            node.target = aten.layer_norm.default
            node.meta[FIXED] = node.meta[FIXED][0]
            for user in list(node.users):
                user.replace_all_uses_with(node)
                graph.erase_node(user)
    graph.set_codegen(graph_module.graph._codegen)
    return torch.fx.GraphModule(graph_module, graph)


def _is_needless(node: FxNode) -> bool:
    """Whether a copy lies as what it copies does, and nobody outside could see that there is none."""
    value, source = node.meta[FIXED], node.args[0].meta[FIXED]
    return value.stride() == source.stride() and all(user.op != "output" for user in node.users)
