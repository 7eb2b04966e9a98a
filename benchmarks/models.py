"""Models as the field writes them, small and by hand: ``MODELS`` has for each name its module and inputs.

Modules are in evaluation mode, with random weights from a fixed seed, scaled so that every activation is of the order
of one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

torch: Any = import_module("torch")
nn, F = torch.nn, torch.nn.functional
Module: Any = nn.Module

L, S, H, HEADS, INNER = 2, 6, 32, 4, 64
"""Sequences, tokens of each, hidden size, heads, and the inner size of an MLP."""

D = H // HEADS
"""Columns of a head."""


def resize(sequences: int, tokens: int, hidden: int, count: int, inner: int) -> None:
    """Make models of other sizes from now on."""
    globals().update(L=sequences, S=tokens, H=hidden, HEADS=count, INNER=inner, D=hidden // count)


class RmsNorm(Module):
    """As in Llama's published code: the mean is taken in float32."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(H))

    def forward(self, x):
        wide = x.float()
        return self.weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def heads(x: Any, count: int) -> Any:
    """From (L, S, count · D) to (L, count, S, D)."""
    return x.unflatten(-1, (count, D)).transpose(1, 2)


def joined(x: Any) -> Any:
    """The inverse of :func:`heads`."""
    return x.transpose(1, 2).flatten(-2)


class SwiGlu(Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(H, INNER, bias=False)
        self.up_proj = nn.Linear(H, INNER, bias=False)
        self.down_proj = nn.Linear(INNER, H, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Llama(Module):
    """A block with grouped queries (two heads of keys), rotary positions, SwiGLU and RMSNorm."""

    def __init__(self) -> None:
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(), RmsNorm()
        self.q_proj = nn.Linear(H, H, bias=False)
        self.k_proj = nn.Linear(H, 2 * D, bias=False)
        self.v_proj = nn.Linear(H, 2 * D, bias=False)
        self.o_proj = nn.Linear(H, H, bias=False)
        self.mlp = SwiGlu()

    @staticmethod
    def rotate(x: Any, cos: Any, sin: Any) -> Any:
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin

    def forward(self, x, cos, sin):
        normed = self.input_layernorm(x)
        q = self.rotate(heads(self.q_proj(normed), HEADS), cos, sin)
        k = self.rotate(heads(self.k_proj(normed), 2), cos, sin)
        v = heads(self.v_proj(normed), 2)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o_proj(joined(attended))
        return x + self.mlp(self.post_attention_layernorm(x))


class Bert(Module):
    """A layer: attention of its own matmuls, with a mask; normed behind each sum."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(H, H), nn.Linear(H, H), nn.Linear(H, H)
        self.dense, self.intermediate, self.output = nn.Linear(H, H), nn.Linear(H, INNER), nn.Linear(INNER, H)
        self.attention_norm, self.output_norm = nn.LayerNorm(H, eps=1e-12), nn.LayerNorm(H, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, mask):
        q, k, v = (heads(of(x), HEADS) for of in (self.query, self.key, self.value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / D**0.5 + mask
        attended = torch.matmul(self.dropout(F.softmax(scores, dim=-1)), v)
        x = self.attention_norm(self.dropout(self.dense(joined(attended))) + x)
        return self.output_norm(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class Vit(Module):
    """A block: one matmul for queries, keys and values; normed before."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(H, eps=1e-6), nn.LayerNorm(H, eps=1e-6)
        self.qkv, self.proj = nn.Linear(H, 3 * H), nn.Linear(H, H)
        self.fc1, self.fc2 = nn.Linear(H, INNER), nn.Linear(INNER, H)
        self.scale1, self.scale2 = nn.Parameter(torch.full((H,), 0.5)), nn.Parameter(torch.full((H,), 0.5))

    def forward(self, x):
        count, tokens, _ = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(count, tokens, 3, HEADS, D).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attended = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(joined(attended)) * self.scale1
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x)))) * self.scale2


class MoeLoop(Module):
    """Experts in a loop, each on the tokens that are routed to it, as Mixtral was published."""

    def __init__(self, experts: int = 4) -> None:
        super().__init__()
        self.gate = nn.Linear(H, experts, bias=False)
        self.experts = nn.ModuleList(SwiGlu() for _ in range(experts))

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=-1, dtype=torch.float), 2, dim=-1)
        weights = (weights / weights.sum(dim=-1, keepdim=True)).to(x.dtype)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            token, place = torch.where(chosen == number)
            result.index_add_(0, token, expert(x[token]) * weights[token, place, None])
        return result


class MoeGrouped(Module):
    """The same experts by grouped matmuls: tokens are sorted by their expert."""

    def __init__(self, experts: int = 4) -> None:
        super().__init__()
        self.gate = nn.Linear(H, experts, bias=False)
        self.gate_up = nn.Parameter(torch.randn(experts, H, 2 * INNER) / H**0.5)
        self.down = nn.Parameter(torch.randn(experts, INNER, H) / INNER**0.5)

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=-1, dtype=torch.float), 2, dim=-1)
        order = chosen.flatten().argsort(stable=True)
        offsets = F.one_hot(chosen.flatten(), self.gate.out_features).sum(0).cumsum(0).to(torch.int32)
        gate, up = F.grouped_mm(x[order // 2], self.gate_up, offs=offsets).chunk(2, dim=-1)
        made = F.grouped_mm(F.silu(gate) * up, self.down, offs=offsets)
        made = made * weights.flatten()[order, None].to(x.dtype)
        return torch.zeros_like(x).index_add(0, order // 2, made)


class Lora(Module):
    """A linear layer with a low-rank one beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(H, INNER)
        self.lora_A, self.lora_B = nn.Linear(H, 8, bias=False), nn.Linear(8, INNER, bias=False)
        self.dropout, self.scaling = nn.Dropout(0.05), 0.25

    def forward(self, x):
        return self.base(x) + self.lora_B(self.lora_A(self.dropout(x))) * self.scaling


class Int8(Module):
    """A linear layer in int8, with a scale for each token and one for each column; the next layer's input, too."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (INNER, H), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(INNER) / 400 + 1e-3)
        self.bias = nn.Parameter(torch.randn(INNER))

    def forward(self, x, x_scale):
        made = torch._int_mm(x, self.weight.t()).float() * x_scale * self.scale + self.bias
        made = F.gelu(made, approximate="tanh")
        largest = made.abs().amax(dim=-1, keepdim=True) / 127
        return torch.round(made / largest).to(torch.int8), largest


class Mixer(Module):
    """A block: an MLP over the tokens, and one over the channels."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(H), nn.LayerNorm(H)
        self.tokens = nn.Sequential(nn.Linear(S, 2 * S), nn.GELU(), nn.Linear(2 * S, S))
        self.channels = nn.Sequential(nn.Linear(H, INNER), nn.GELU(), nn.Linear(INNER, H))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class T5(Module):
    """A block of the encoder: no scale of scores but a bias for each head, RMSNorm, gated GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = RmsNorm(), RmsNorm()
        self.q, self.k, self.v, self.o = (nn.Linear(H, H, bias=False) for _ in range(4))
        self.wi_0, self.wi_1 = nn.Linear(H, INNER, bias=False), nn.Linear(H, INNER, bias=False)
        self.wo = nn.Linear(INNER, H, bias=False)

    def forward(self, x, position_bias):
        normed = self.norm1(x)
        q, k, v = (heads(of(normed), HEADS) for of in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(3, 2)) + position_bias
        attended = torch.matmul(F.softmax(scores.float(), dim=-1).type_as(scores), v)
        x = x + self.o(joined(attended))
        normed = self.norm2(x)
        return x + self.wo(F.gelu(self.wi_0(normed), approximate="tanh") * self.wi_1(normed))


def encoder_layer() -> Any:
    return nn.TransformerEncoderLayer(H, HEADS, INNER, activation="gelu", batch_first=True)


def tokens(*lead: int) -> Any:
    return torch.randn(*(lead or (L, S)), H)


def rotary() -> tuple[Any, Any]:
    angles = torch.arange(S)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def masked() -> Any:
    """What is added to scores: -10,000 at the last two tokens of the first sequence."""
    mask = torch.zeros(L, 1, 1, S)
    mask[0, ..., -2:] = -10000.0
    return mask


_MODELS: dict[str, tuple[Callable[[], Any], Callable[[], tuple[Any, ...]]]] = {
    "llama": (Llama, lambda: (tokens(), *rotary())),
    "bert": (Bert, lambda: (tokens(), masked())),
    "vit": (Vit, lambda: (tokens(),)),
    "moe_loop": (MoeLoop, lambda: (tokens(L * S),)),
    "moe_grouped": (MoeGrouped, lambda: (tokens(L * S),)),
    "lora": (Lora, lambda: (tokens(),)),
    "int8": (Int8, lambda: (torch.randint(-127, 128, (L * S, H), dtype=torch.int8), torch.rand(L * S, 1) / 100 + 1e-3)),
    "mixer": (Mixer, lambda: (tokens(),)),
    "t5": (T5, lambda: (tokens(), torch.randn(1, HEADS, S, S))),
    "encoder_layer": (encoder_layer, lambda: (tokens(),)),
}

MODELS = tuple(_MODELS)


def made(name: str, dtype: Any = None) -> tuple[Any, tuple[Any, ...]]:
    """A model and its inputs, in bfloat16 if ``dtype`` is not given; tensors of whole numbers keep their type."""
    module, inputs = _MODELS[name]
    dtype = dtype or torch.bfloat16
    with torch.random.fork_rng():
        torch.manual_seed(32)
        model = module().eval().requires_grad_(False)
        given = inputs()
    if name == "int8":  # its scales stay in float32
        return model, given
    return model.to(dtype), tuple(x.to(dtype) if x.is_floating_point() else x for x in given)
