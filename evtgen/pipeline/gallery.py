"""The gallery as sources: its entries by name, and each alone, with what it uses of its file. None of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..diagnostics.files import NOT_IN_GALLERY
from ..diagnostics.suggestions import nearest
from ..system.translation import tr

_PACKAGE = Path(__file__).parent.parent
FOLDER = next(
    (f for f in (_PACKAGE / "gallery", _PACKAGE.parent / "examples" / "gallery") if f.is_dir()), _PACKAGE / "gallery"
)
"""The specs of the gallery: in the package, or beside it in a checkout."""

PREFIX = "gallery/"
"""Entries may be named with it."""

KINDS = {
    "bias and residual": "residual_bias residual_bias_bf16 linear_hf32 linear_residual_nz split_k_bias "
    "split_k_residual gathered_residual lora_residual lora_expand adapters alpha_beta alpha_beta_arguments "
    "alpha_beta_tensors baddbmm transposed_addmm moving_average",
    "activation": "bias_relu bias_relu6 bias_leaky_relu bias_relu_keep bias_gelu bias_silu residual_gelu_auto_cast "
    "linear_gelu bmm_bias_relu bias_squared_relu bias_signed_root sigmoid_gate swiglu_gate swiglu swiglu_separate "
    "swiglu_interleaved geglu dropout outliers_apart clip_to_window",
    "norm": "rms_norm_matmul add_rms_norm rms_norm_squares layer_norm layer_norm_sums batch_norm batch_norm_training "
    "channel_sums",
    "quantise": "dequant_per_channel dequant_per_token dequant_both dequant_both_bias dequant_relu_requant "
    "bias_silu_quant quant_per_tensor quant_per_token quantize_per_token relu_quantize_per_tensor "
    "swiglu_quantize_per_token per_token_group_quant_int8 swiglu_block_quant per_block_cast_to_fp8 abs_max "
    "w8a8_static w8a8_dynamic w8a16_linear w8_zero_point weight_quant_batchmatmul fp8_block_linear w4a16_linear "
    "w4a8_per_token_dequant w4a8_grouped_matmul_msd w4a4_per_token_per_channel_dequant float8_both_scales "
    "float8_requant mx_matmul mx_swiglu_quantize fp4_mx_matmul fp4_mx_swiglu_quantize a8w4_mx_matmul "
    "quant_matmul_per_group_per_block w8a8_block_fp8_matmul quant_batch_matmul_v3",
    "mixture of experts": "moe_gating_top_1 moe_gating_top_k_softmax top1_gate expert_bias_silu expert_swiglu "
    "expert_swiglu_dequant_quant expert_combine expert_combine_add expert_dequant expert_dequant_silu_quant "
    "expert_abs_max expert_weight expert_scatter capacity_combine grouped_matmul_finalize_routing "
    "dispatch_ffn_combine grouped_swiglu_quant_tensor_list experts_swiglu_quantize_per_token "
    "grouped_matmul_antiquant mx_grouped_matmul grouped_block_fp8_matmul",
    "attention": "qkv_split qkv_rope qkv_rope_interleaved split_qkv_rmsnorm_rope mla_prologue transposed_keys "
    "attention_scores attention_scores_max attention_mask attention_keep attention_values gqa_scores causal_scores "
    "alibi_scores sliding_window lower_triangle softmax softmax_lse softmax_max causal_softmax chunk_fwd_o",
    "gradients and losses": "relu_gradient weight_gradient weight_gradients bias_gradient bias_gradient_in_order "
    "moe_wgrad moe_wgrad_norm slice_k_per_token_dequant clip_gradient gradient_step loss_scale squared_error "
    "log_softmax",
}
"""What entries are for: the names of each kind."""


@dataclass(frozen=True)
class Entry:
    """An epilogue of the gallery.

    Attributes:
        name: of its function.
        path: the file that it is in.
    """

    name: str
    path: Path

    @property
    def kind(self) -> str:
        """The one of :data:`KINDS` that it is of."""
        return next(kind for kind, names in KINDS.items() if self.name in names.split())

    def renamed(self, name: str) -> str:
        """A spec of its own: what the epilogue needs of its file, and its function with another name."""
        text = self.path.read_text(encoding="utf-8")
        lines, tree = text.splitlines(), ast.parse(text)
        (own,) = (s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == self.name)
        kept = [own]
        for statement in reversed(tree.body[: tree.body.index(own)]):
            if set(_bound(statement)) & _used(kept):
                kept.insert(0, statement)  # type: ignore[arg-type]
        used = _used(kept)
        imports = [s for s in kept if isinstance(s, ast.Import | ast.ImportFrom)]
        parts = ["\n".join(ast.unparse(_only(s, used)) for s in imports if isinstance(s, ast.Import))]
        parts += ["\n".join(ast.unparse(_only(s, used)) for s in imports if isinstance(s, ast.ImportFrom))]
        parts += ["\n".join(_lines(s, lines)) for s in kept if s not in imports and s is not own]
        function = _lines(own, lines)
        line = own.lineno - _first(own)
        function[line] = function[line].replace(f"def {self.name}(", f"def {name}(", 1).partition("  # noqa")[0]
        head = "\n\n".join(part for part in parts if part)
        return f'"""From the gallery of evtgen: {self.name}."""\n\n{head}\n\n\n' + "\n".join(function) + "\n"

    @property
    def moves_rows_of_several(self) -> bool:
        """Whether rows go to, or come from, other groups of a launch, where a function of one matmul says nothing."""
        source = self.renamed(self.name)
        tree = ast.parse(source)
        several = any(isinstance(n, ast.keyword) and n.arg == "group" for n in ast.walk(tree))
        return several and any(isinstance(n, ast.Attribute) and n.attr in ("gather", "scatter") for n in ast.walk(tree))


@cache
def entries() -> dict[str, Entry]:
    """The entries by name, in the order of their files."""
    return {
        statement.name: Entry(statement.name, path)
        for path in sorted(FOLDER.glob("*.py"))
        for statement in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.FunctionDef) and "epilogue" in _used(statement.decorator_list)
    }


def entry(name: str) -> Entry:
    """The entry of this name, ``bias_gelu`` or ``gallery/bias_gelu``. Raises EvtgenError (EVT227)."""
    known = entries()
    short = name.removeprefix(PREFIX)
    if short in known:
        return known[short]
    meant = nearest(short, known)
    raise NOT_IN_GALLERY.refusal(
        help=tr("did you mean {meant}?", meant=meant)
        if meant
        else tr("the gallery has {known}", known=", ".join(known)),
        name=short,
    )


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that they mention."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    else:
        yield from (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _only(statement: ast.Import | ast.ImportFrom, used: set[str]) -> ast.Import | ast.ImportFrom:
    """An import without the names that are not used."""
    names = [alias for alias in statement.names if (alias.asname or alias.name.partition(".")[0]) in used]
    if isinstance(statement, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(statement.module, names, statement.level)


def _first(statement: ast.stmt) -> int:
    """The number of its first line, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _lines(statement: ast.stmt, lines: list[str]) -> list[str]:
    return lines[_first(statement) - 1 : statement.end_lineno]
