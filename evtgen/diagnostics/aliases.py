"""Names from other libraries, for things that evtgen has under another name or not at all.

Each table maps a name, in lower case, to a name of evtgen's, or to a sentence that tells the user what to write.
Sources: torch and torch.nn.functional, numpy, CUTLASS (Python and C++), Catlass and AscendC. No key is a name of
evtgen's own.
"""

from __future__ import annotations

from ..system.translation import tr

_REDUCTION = tr('{kind} is a reduction: ops.row_reduce(x, "{op}"), ops.col_reduce or ops.scalar_reduce')
_NORM = tr('write it with reductions, as in (x - m) * ops.rsqrt(v + eps) with m = ops.row_reduce(x, "mean")')
_TRIGONOMETRIC = tr("there is no operator for it; evt.operator(...) declares one of your own, from AscendC calls")
_GEMM = tr("nothing is multiplied as matrices in an epilogue: the accumulator is the product of the GEMM")
_SPECIAL = _TRIGONOMETRIC
_REMAINDER = tr("there is no remainder among AscendC's calls; write x - y * ops.floor(x / y)")
_TESTED = tr("write a comparison, which gives a mask: x != x is true of NaN, abs(x) == math.inf of infinities")
_BITS = tr("values have no bits: masks are joined by & and |, and turned round by ~; write x * 2 for a shift")
_ORDER = tr(
    'a value has no order of elements: nothing goes along them but reductions, such as ops.row_reduce(x, "max")'
)
_COMPLEX = tr("leave it out: there are no complex numbers")
_FULL = tr("write the number itself: a Python number stands for all elements")
_COPY = tr("leave it out: a value is never changed, so nothing need be copied")
_TRIANGLE = tr("write ops.where(ops.row_index() >= ops.col_index(), x, 0.0), with the comparison that is meant")
_LOSS = tr('write it with operators and a mean: ops.scalar_reduce(ops.square(x - y), "mean")')
_RANDOM = tr("there is nothing random in an epilogue; give the mask as a tensor, and write x * mask")
_SHAPE = tr(
    "a value stands for a whole tile: it cannot be joined or reshaped; ops.rope(x, cos, sin) rotates halves of heads"
)
_PART = tr("write x[:, 0:512] for the first 512 columns, x[:, 0::2] for every second one")
_NAMED = tr("write ops.scatter(x, rows=idx), or with add=True to add rows up; ops.gather(X, rows=idx) reads them")
_COLLECTIVE = tr(
    "an epilogue waits for no other rank: launch HCCL before or behind the kernel; "
    "ops.scatter(x, rows=row, ranks=rank) stores rows in the memory of other ranks"
)

OPERATORS: dict[str, str] = {
    # Arithmetic
    "plus": "add", "addition": "add", "addop": "add", "sum2": "add", "add_n": "add", "add3": "add",
    "minus": "subtract", "subop": "subtract", "subtraction": "subtract",
    "multiplies": "multiply", "mulop": "multiply", "mul3": "multiply", "mult": "multiply", "times": "multiply",
    "prod2": "multiply",
    "divides": "divide", "divop": "divide", "true_divide": "divide",
    "negate": "negative", "fabs": "absolute",
    "max2": "maximum", "maxop": "maximum", "fmax": "maximum", "maximum_with_nan": "maximum", "clamp_min": "maximum",
    "maxs": "maximum", "mins": "minimum",
    "min2": "minimum", "minop": "minimum", "fmin": "minimum", "minimum_with_nan": "minimum", "clamp_max": "minimum",
    "multiply_add": "fma", "homogeneous_multiply_add": "fma", "muladd": "fma", "mul_add": "fma", "mad": "fma",
    "addcmul": "fma", "fusedmuladd": "fma", "muladddst": "fma",
    "multiply_add_relu0": tr("write ops.relu(ops.fma(a, b, c))"),
    "adds": tr("write x + number, or ops.add(x, number)"), "muls": tr("write x * number, or ops.multiply(x, number)"),
    "sqr": "square", "squares": "square", "square_root": "sqrt", "inverse": "reciprocal", "recip": "reciprocal",
    "inverse_square_root": "rsqrt", "fast_rsqrt": "rsqrt", "rsqrtfast": "rsqrt",
    "pow": "power", "float_power": "power",
    "ln": "log", "exponential": "exp", "natural_log": "log",
    "log2": tr("write ops.log(x) * (1 / math.log(2))"), "log10": tr("write ops.log(x) * (1 / math.log(10))"),
    "exp2": tr("write ops.exp(x * math.log(2))"),
    "lerp": tr("write a + t * (b - a)"), "heaviside": tr("write ops.where(x > 0, 1.0, 0.0)"),
    "threshold": tr("write ops.where(x > threshold, x, value)"),
    "threshold_relu": tr("write ops.where(x > threshold, x, 0.0)"),
    "thresholdrelu": tr("write ops.where(x > threshold, x, 0.0)"),
    "rsub": tr("write b - a"), "scale": tr("write x * number"), "scaled_silu": tr("write ops.silu(x) * number"),
    "logsigmoid": tr("write -ops.softplus(-x)"), "log_sigmoid": tr("write -ops.softplus(-x)"),
    "relu_squared": tr("write ops.square(ops.relu(x))"), "squared_relu": tr("write ops.square(ops.relu(x))"),
    # Activations
    "hard_swish": "hardswish", "hard_sigmoid": "hardsigmoid", "hard_tanh": "hardtanh",
    "leakyrelu": "leaky_relu", "lrelu": "leaky_relu", "relu0": "relu", "rectifier": "relu",
    "swish1": "silu", "logistic": "sigmoid", "expit": "sigmoid", "addrelu": "add_relu",
    "geluerf": "gelu", "gelu_taylor": "gelu_tanh", "fast_gelu": "gelu_tanh", "fastgelu": "gelu_tanh",
    "gelu_new": "gelu_tanh", "gelu_fast": "gelu_tanh", "gelu_approximate": "gelu_tanh", "gelu_quick": "quick_gelu",
    "soft_sign": "softsign", "soft_cap": "softcap", "logit_softcap": "softcap", "tanh_softcap": "softcap",
    "soft_capping": "softcap",
    "softmin": tr("write ops.softmax(-x)"), "logsoftmax": "log_softmax", "safe_softmax": "softmax",
    "layernorm": "layer_norm", "rmsnorm": "rms_norm", "batch_norm": _NORM, "instance_norm": _NORM, "group_norm": _NORM,
    "dynamic_quant": "quantize_per_token", "quantize": "quantize_per_token", "per_token_quant": "quantize_per_token",
    **dict.fromkeys(("rotary_mul", "npu_rotary_mul", "rotary", "rotate", "rotate_half", "apply_rotary",
                     "apply_rotary_pos_emb", "rotary_embedding"), "rope"),
    **dict.fromkeys(("per_block_cast_to_fp8", "per_token_group_quant", "per_token_group_quant_fp8", "block_quant",
                     "group_quant"), "quantize_per_block"),
    **dict.fromkeys(("dynamic_mx_quant", "npu_dynamic_mx_quant", "mx_quant", "quantize_mxfp8", "to_mx"), "quantize_mx"),
    "normalize": _NORM, "norm": _NORM,
    **dict.fromkeys(("dropout", "rrelu", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d",
                     "dropout3d",
                     "bernoulli", "binomial", "poisson", "multinomial", "gumbel_softmax"), _RANDOM),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2",
                     "cbrt"), _TRIGONOMETRIC),
    "erfc": tr("write 1 - ops.erf(x), which has no digits left where x is large"),
    **dict.fromkeys(("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh"), _TRIGONOMETRIC),
    **dict.fromkeys(("deg2rad", "radians"), tr("write x * (math.pi / 180)")),
    **dict.fromkeys(("rad2deg", "degrees"), tr("write x * (180 / math.pi)")),
    **dict.fromkeys(("hypot", "copysign", "ldexp", "frexp", "modf", "nextafter", "spacing", "sinc", "i0", "digamma",
                     "psi",
                     "erfinv", "igamma", "igammac", "gammainc", "gammaincc", "gammaln", "lgamma", "mvlgamma",
                     "multigammaln", "polygamma", "i0e", "i1", "i1e", "entr", "erfcx", "log_ndtr", "ndtr", "ndtri",
                     "zeta",
                     "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0",
                     "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
                     "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "chebyshev_polynomial_t",
                     "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
                     "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
                     "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
                     "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"), _SPECIAL),
    "logaddexp": tr("write ops.maximum(a, b) + ops.softplus(-abs(a - b))"),
    "logaddexp2": tr("write ops.maximum(a, b) + ops.softplus(-abs(a - b) * math.log(2)) / math.log(2)"),
    "xlogy": tr("write x * ops.log(y), for positive x and y"), "xlog1py": tr("write x * ops.log1p(y), for positive x"),
    "logit": tr("write ops.log(x / (1 - x))"), "tanhshrink": tr("write x - ops.tanh(x)"),
    "hardshrink": tr("write ops.where(abs(x) > 0.5, x, 0.0)"),
    "softshrink": tr("write ops.sign(x) * ops.relu(abs(x) - 0.5)"),
    **dict.fromkeys(("slice", "split", "chunk", "narrow", "tensor_split", "hsplit"), _PART),
    **dict.fromkeys(("scatter_add", "index_add", "index_copy", "index_put", "index_select", "take", "gather_nd",
                     "take_along_axis", "finalize_routing", "moe_finalize_routing"), _NAMED),
    **dict.fromkeys(("all_reduce", "all_gather", "all_to_all", "reduce_scatter", "broadcast", "barrier", "send",
                     "recv"), _COLLECTIVE),
    "swiglu": tr("write ops.silu(a) * b of two accumulators, or of x[:, 0::2] and x[:, 1::2]"),
    "glu": tr("write a * ops.sigmoid(b) of two accumulators, with gemm=Gemm(accumulators=\"halves\")"),
    **dict.fromkeys(("fmod", "remainder", "mod", "divmod"), _REMAINDER),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isneginf", "isposinf", "isclose", "isin", "isnat"), _TESTED),
    "signbit": tr("write x < 0"), "nan_to_num": tr("write ops.where(x == x, x, 0.0)"),
    **dict.fromkeys(("bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "left_shift", "right_shift", "gcd",
                     "lcm",
                     "bitwise_count"), _BITS),
    **dict.fromkeys(("kthvalue", "argsort", "argpartition",
                     "sort", "sort_complex", "msort", "partition", "searchsorted", "cumprod",
                     "logcumsumexp", "nancumprod", "nancumsum", "percentile", "quantile", "nanpercentile",
                     "nanquantile",
                     "diff", "unwrap"), _ORDER),
    **dict.fromkeys(("angle", "complex", "conj", "conjugate", "conj_physical", "imag", "real", "real_if_close", "polar",
                     "resolve_conj", "resolve_neg", "isreal", "iscomplex"), _COMPLEX),
    **dict.fromkeys(("empty_like", "full_like", "ones_like", "zeros_like"), _FULL),
    **dict.fromkeys(("clone", "copy", "detach", "alias_copy", "detach_copy", "squeeze_copy", "slice_copy", "t_copy",
                     "dequantize", "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "require",
                     "contiguous"), _COPY),
    **dict.fromkeys(("tril", "triu"), _TRIANGLE),
    **dict.fromkeys(("kl_div", "hinge_embedding_loss", "margin_ranking_loss", "binary_cross_entropy_with_logits"),
                     _LOSS),
    # Whole numbers
    "nearbyint": "round", "roundeven": "round", "round_half_even": "round", "around": "round", "fix": "trunc",
    "truncate": "trunc", "ceiling": "ceil", "sgn": "sign", "signum": "sign", "frac": tr("write x - ops.trunc(x)"),
    "floor_divide": tr("write ops.floor(x / y)"),
    # Comparisons and masks
    "gt": "greater", "ge": "greater_equal", "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal",
    "less_than": "less", "greater_than": "greater",
    "select": "where", "masked_fill": "where", "cond": "where", "condition": "where", "ifelse": "where",
    "bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_not": "logical_not", "invert": "logical_not",
    "logical_xor": tr("write (m | n) & ~(m & n)"),
    # Reductions
    "sum": _REDUCTION.format(kind=tr("a sum"), op="add"),
    "mean": _REDUCTION.format(kind=tr("a mean"), op="mean"), "average": _REDUCTION.format(kind=tr("a mean"), op="mean"),
    "max": tr('write ops.maximum(a, b) for two values; over rows it is a reduction, ops.row_reduce(x, "max")'),
    "min": tr('write ops.minimum(a, b) for two values; over rows it is a reduction, ops.row_reduce(x, "min")'),
    "amax": _REDUCTION.format(kind=tr("a maximum"), op="max"),
    "amin": _REDUCTION.format(kind=tr("a minimum"), op="min"),
    "reduce": _REDUCTION.format(kind=tr("it"), op="add"), "reduce_sum": _REDUCTION.format(kind=tr("a sum"), op="add"),
    "reduce_max": _REDUCTION.format(kind=tr("a maximum"), op="max"),
    "reduce_min": _REDUCTION.format(kind=tr("a minimum"), op="min"),
    "rowreduce": "row_reduce", "colreduce": "col_reduce", "scalarreduce": "scalar_reduce",
    "column_reduce": "col_reduce",
    **dict.fromkeys(("prod", "var", "std", "argmin", "cumsum", "median", "any", "all"),
                    tr("there is no such reduction; there are add, max, min, mean, sum_of_squares and amax")),
    "logsumexp": tr('write m + ops.log(ops.col_reduce(ops.exp(x - m))) with m = ops.col_reduce(x, "max")'),
    # Types and shapes
    "convert": "cast", "astype": "cast",
    **dict.fromkeys(("matmul", "mm", "bmm", "linear", "dot", "addmm", "einsum", "gemm", "inner", "kron",
                     "matvec", "vecdot", "vecmat", "chain_matmul", "pinverse", "scaled_dot_product_attention"), _GEMM),
    **dict.fromkeys(("swapaxes", "mt", "adjoint", "matrix_transpose"),
                     tr("an output may be transposed: return ops.transpose(x)")),
    **dict.fromkeys(("permute", "reshape", "view", "concat", "concatenate", "cat", "stack", "flatten",
                     "squeeze", "unsqueeze", "expand", "broadcast_to", "atleast_1d", "atleast_2d", "block",
                     "block_diag",
                     "column_stack", "vstack", "flip", "fliplr", "flipud", "roll", "rollaxis", "rot90", "tile",
                     "trim_zeros", "avg_pool1d", "max_pool1d", "slice_inverse", "slice_scatter", "sym_sum", "polyadd",
                     "polyint", "polysub", "polyval"), _SHAPE),
}  # fmt: skip
"""Functions of ``ops``."""

TYPES: dict[str, str] = {
    "float16": "half", "fp16": "half", "f16": "half", "float16_t": "half", "fp16_t": "half", "__half": "half",
    "bf16": "bfloat16", "bfloat16_t": "bfloat16", "bfloat": "bfloat16",
    "float": "float32", "fp32": "float32", "f32": "float32", "single": "float32", "float32_t": "float32",
    **dict.fromkeys(("e4m3", "e4m3fn", "f8e4m3", "f8e4m3fn", "fp8_e4m3", "fp8_e4m3fn", "fp8_e4m3fn_t", "float8_e4m3",
                     "float8_e4m3_t", "float_e4m3_t"), "float8_e4m3fn"),
    **dict.fromkeys(("e5m2", "f8e5m2", "fp8_e5m2", "fp8_e5m2_t", "float8_e5m2_t", "float_e5m2_t"), "float8_e5m2"),
    **dict.fromkeys(("fp8", "f8", "float8", "hifloat8", "hifloat8_t"),
                    tr("the floats of 8 bits are float8_e4m3fn and float8_e5m2")),
    **dict.fromkeys(("float8_e8m0", "float8_e8m0_t", "fp8_e8m0", "fp8_e8m0_t", "e8m0"), "float8_e8m0fnu"),
    **dict.fromkeys(("mxfp4", "float4", "fp4", "e2m1", "float4_e2m1", "float4_e2m1fn_x2", "float4_e2m1x2_t",
                     "fp4x2_e2m1_t"), "float4_e2m1fn"),
    **dict.fromkeys(("mx", "mxfp8"),
                    tr("ops.quantize_mx makes floats of 8 bits, and a scale of float8_e8m0fnu for each 32 columns")),
    **dict.fromkeys(("i4", "s4", "int4b_t", "int4x2", "int4_t", "quint4x2"), "int4"),
    "uint4": tr("the integers of 4 bits have signs: subtract 8 from each and write int4"),
    **dict.fromkeys(("uint16", "uint32", "uint64", "uint16_t", "uint32_t", "uint64_t", "size_t"),
                    tr("the integers are int8, uint8, int16 and int32; lists of groups may also be int64")),
    "int": "int32", "i32": "int32", "s32": "int32", "int32_t": "int32", "long": "int32",
    "short": "int16", "i16": "int16", "s16": "int16", "int16_t": "int16",
    "i8": "int8", "s8": "int8", "int8_t": "int8", "char": "int8",
    "u8": "uint8", "uint8_t": "uint8", "byte": "uint8", "bool": "mask", "bool_": "mask", "boolean": "mask",
    **dict.fromkeys(("double", "float64", "fp64", "f64"),
                    tr("vector cores have no double; the widest type is float32")),
}  # fmt: skip
"""Element types."""

ARCHITECTURES: dict[str, str] = {
    **dict.fromkeys(("ascend910b", "atlas a3", "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4",
                     "ascend910_93", "ascend910c", "910b", "910c", "a2", "a3", "atlas_a2", "atlas_a3", "atlasa3",
                     "atlas a2", "dav_c220", "dav-c220", "dav_2201", "dav-2201"), "AtlasA2"),
    **dict.fromkeys(("ascend910_95", "ascend910_9589", "ascend950pr", "ascend950dt", "950", "a5", "atlasa5", "atlas_a5",
                     "dav_3510", "dav-3510"), "Ascend950"),
}  # fmt: skip
"""Architectures, by the names of chips, of series and of compilers' targets."""

HANDOFFS: dict[str, str] = {
    **dict.fromkeys(("workspace", "global", "l2"), "gm"),
    **dict.fromkeys(("l0c2ub", "fixpipe", "local", "unified buffer"), "ub"),
}
"""The ways of the accumulator to the vector cores."""

GROUPS: dict[str, str] = {
    **dict.fromkeys(("rows", "row", "slice_m", "slicem", "tokens", "experts", "moe"), "m"),
    **dict.fromkeys(("slice_k", "slicek", "depth", "wgrad"), "k"),
    **dict.fromkeys(("n", "columns"), tr('only the rows of A or K can lie in groups: write group="m" or "k"')),
}
"""The extents that may lie in groups."""

GROUP_LISTS: dict[str, str] = {
    **dict.fromkeys(("ends", "end", "offset", "cumsum", "cumulative", "0"), "offsets"),
    **dict.fromkeys(("count", "sizes", "size", "rows", "lengths", "tokens", "1"), "counts"),
}
"""What the numbers of a list of groups are."""

WEIGHTS: dict[str, str] = {
    **dict.fromkeys(("stack", "packed", "tensor", "one", "array"), "stacked"),
    **dict.fromkeys(("pointer", "list", "tensor_list", "tensors", "separate", "addresses"), "pointers"),
}
"""How the Bs of groups lie."""

SCALES: dict[str, str] = {
    **dict.fromkeys(("channel", "per_channel", "columns", "col", "row", "n", "per_column"), "column"),
    **dict.fromkeys(("group", "groups", "per_group", "group_wise", "128"), "group:128"),
    **dict.fromkeys(("block", "blocks", "per_block", "block_wise", "128x128"), "block:128x128"),
    **dict.fromkeys(("mxfp8", "mx8", "ocp", "e8m0", "microscaling", "1x32"), "mx"),
}
"""What has a scale of its own in B."""

ACCUMULATORS: dict[str, str] = {
    **dict.fromkeys(("half", "columns", "split", "concat", "interleaved", "packed", "one"), "halves"),
    **dict.fromkeys(("two", "dual", "both", "pair", "separated"), "separate"),
}
"""The Bs of two accumulators."""

POLICIES: dict[str, str] = {
    **dict.fromkeys(("ping-pong", "ping_pong", "double_buffer", "mmadatlasa2pingpong"), "pingpong"),
    **dict.fromkeys(("preload", "async", "prefetch", "preloadasync", "mmadatlasa2preload", "mmadatlasa2preloadasync",
                     "mmadatlasa2preloadasyncwithcallback"), "preload_async"),
}  # fmt: skip
"""The policies of the matmul."""

LAYOUTS: dict[str, str] = {
    **dict.fromkeys(("row", "rowmajor", "row_major", "c", "nd", "layoutright"), "RowMajor"),
    **dict.fromkeys(("column", "col", "colmajor", "col_major", "column_major", "f", "layoutleft"), "ColumnMajor"),
    **dict.fromkeys(("nz", "fractal_nz"), tr("zN is AscendC's NZ; nZ is that of the transposed matrix")),
    "zn": "zN",
}
"""Layouts."""

REDUCTIONS: dict[str, str] = {
    "sum": "add", "plus": "add", "total": "add", "maximum": "max", "amin": "min", "minimum": "min",
    "average": "mean", "avg": "mean", "sumsq": "sum_of_squares", "norm2": "sum_of_squares", "absmax": "amax",
    "abs_max": "amax", "max_abs": "amax",
}  # fmt: skip
"""The operators of a reduction."""

EXPORTS: dict[str, str] = {
    **TYPES,
    **{name: f"did you mean {target}?" for name, target in {
        "accumulator": "Acc", "accum": "Acc", "tensor": "Aux", "matrix": "Aux", "auxload": "Aux", "vector": "RowVector",
        "rowbroadcast": "RowVector", "colbroadcast": "ColVector", "columnvector": "ColVector",
        "scalarbroadcast": "ScalarTensor", "scalarvalue": "Scalar", "topological": "TopologicalVisitor",
        "tree": "TreeVisitor", "colmajor": "ColumnMajor", "column_major": "ColumnMajor", "row_major": "RowMajor",
    }.items()},
    **dict.fromkeys(("accload", "auxstore", "compute", "cast", "rowreduce", "colreduce", "scalarreduce", "outputs"),
                    tr("the nodes of the explicit form are in evtgen.nodes")),
}  # fmt: skip
"""The names that a spec imports."""
