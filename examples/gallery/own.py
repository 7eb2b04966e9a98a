"""Operators that evtgen does not have, declared where they are used: `evtgen check --numeric` tries them out."""

from evtgen import Acc, Aux, RowVector, epilogue, float32, half, operator

squared_relu = operator(
    "squared_relu",
    ["Relu(dst, a)", "Mul(dst, dst, dst)"],
    lambda np, a: np.square(np.maximum(a, a.dtype.type(0))),
)

signed_root = operator(
    "signed_root",
    ["Abs(tmp, a)", "Adds(tmp, tmp, 1)", "Sqrt(tmp, tmp)", "Div(dst, a, tmp)"],
    lambda np, a: a / np.sqrt(1 + np.abs(a)),
    golden="{0} / std::sqrt(1.0f + std::fabs({0}))",
    ulp=3,
)

lerp = operator(
    "lerp",
    ["Sub(tmp, b, a)", "Muls(tmp, tmp, weight)", "Add(dst, a, tmp)"],
    lambda np, a, b, weight: a + (b - a) * weight,
    constants=("weight",),
)


@epilogue
def bias_squared_relu(acc: Acc[half], bias: RowVector[half]):
    return {"D": squared_relu(acc + bias)}


@epilogue
def bias_signed_root(acc: Acc[float32], bias: RowVector[half]):
    return {"D": signed_root(acc + bias.cast(float32)).cast(half)}


@epilogue
def moving_average(acc: Acc[float32], average: Aux[float32]):
    return {"updated": lerp(average, acc, weight=0.01)}
