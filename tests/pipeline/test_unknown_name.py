"""The one name that EVT089 says the CPU model does not have, out of each compiler's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from evtgen.diagnostics.files import NO_PROGRAM
from evtgen.pipeline.unknown_name import defined_twice, missing_header, missing_name

from ..support.said import named

CHECKOUT = Path("/c")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("no member named 'Fixpipe' in namespace 'AscendC'", "AscendC::Fixpipe"),
        ("no member named 'Foo' in namespace 'AscendC::Std'; did you mean 'for'?", "AscendC::Std::Foo"),
        ("no type named 'Nd2NzParams' in namespace 'AscendC'", "AscendC::Nd2NzParams"),
        ("no template named 'ReluTileCopy' in namespace 'Catlass::Gemm::Tile'", "Catlass::Gemm::Tile::ReluTileCopy"),
        ("no member named 'SetAddr' in 'AscendC::LocalTensor<int>'", "AscendC::LocalTensor::SetAddr"),
        ("\u2018Fixpipe\u2019 is not a member of \u2018AscendC\u2019", "AscendC::Fixpipe"),
        ("\u2018Nd2NzParams\u2019 in namespace \u2018AscendC\u2019 does not name a type", "AscendC::Nd2NzParams"),
        ("\u2018QuantMode_t\u2019 was not declared in this scope; did you mean 'x'?", "QuantMode_t"),
        ("use of undeclared identifier 'QuantMode_t'", "QuantMode_t"),
        ("unknown type name 'float32_t'; did you mean 'float_t'?", "float32_t"),
        (
            "static_assert failed due to requirement 'DEPENDENT_FALSE<Catlass::Gemm::MmadAtlasA2Small<4>>' "
            '"the stand-in has no BlockMmad for this dispatch policy"',
            "BlockMmad … MmadAtlasA2Small",
        ),
        (
            "static assertion failed: the stand-in has no BlockMmad for this dispatch policy\n"
            "/c/x.hpp:1:1: note: struct Catlass::Gemm::Block::BlockMmad<Catlass::Gemm::MmadAtlasA2Small<4>, int>",
            "BlockMmad … MmadAtlasA2Small",
        ),
        (
            "static_assert failed due to requirement 'std::is_same_v<Catlass::layout::zN, Catlass::layout::RowMajor>' "
            '"the stand-in multiplies row-major and column-major matrices"',
            "BlockMmad … layout::zN",
        ),
        (
            "static_assert failed due to requirement '!true' \"the CPU model does not have the HF32 mode\"\n",
            "HF32",
        ),
        ("static assertion failed: the CPU model does not have the HF32 mode\n   12 |  static_", "HF32"),
        ("expected namespace name\n  7 |  using namespace AscendC::MicroAPI;", "AscendC::MicroAPI"),
        ("'MicroAPI' is not a namespace-name\n  7 |  using namespace AscendC::MicroAPI;", "AscendC::MicroAPI"),
        ("'AscendC::MicroAPI' has not been declared", "AscendC::MicroAPI"),
        ("lib/matmul_intf.h: No such file or directory", "lib/matmul_intf.h … of AscendC … BlockMmad"),
        ("'aclnnop/aclnn_add.h' file not found", "aclnnop/aclnn_add.h … of CANN … operators"),
        ("catlass/gemm/kernel/x.hpp: No such file or directory", "catlass/gemm/kernel/x.hpp … of Catlass"),
        ("'AddTilingData' has not been declared", "AddTilingData … of CANN … REGISTER_TILING_DEFAULT"),
        ("'EvtgenDefaultTiling' was not declared in this scope", "REGISTER_TILING_DEFAULT"),
        ("no member named 'Mul3' in namespace 'Catlass::Epilogue::Fusion'", "Epilogue::Fusion::Mul3 … evtgen ops"),
        ("mine.h: No such file or directory", None),
        ("'WaitPreBlock' is not a member of 'AscendC'", "AscendC::WaitPreBlock … SyncAll, IBWait"),
        ("'KERNEL_NEW_MACRO' was not declared in this scope", "KERNEL_NEW_MACRO … of AscendC"),
        ("'asc_vf_call' was not declared in this scope", "asc_vf_call … of AscendC … registers"),
        (
            "no matching function for call to 'DataCopyPad(AscendC::LocalTensor<float>&, int)'\n"
            "/e/device/ascendc/ascendc/copy.h:96:13: note: candidate: 'template<class T> void AscendC::DataCopyPad(…)'",
            "AscendC::DataCopyPad(…)",
        ),
        ("no matching function for call to 'frob'\n/c/x.h:1:1: note: candidate function not viable", None),
        ("no member named 'frob' in namespace 'mine'", None),
        ("expected ';' after expression", None),
    ],
)
def test_the_first_error_names_it(said: str, expected: str | None) -> None:
    words = f"In file included from /c/a.cpp:1:\n/c/include/x.hpp:12:3: error: {said}\n"
    later = "/c/include/y.hpp:1:2: error: no member named 'Later' in namespace 'AscendC'\n"
    found = missing_name(words + later, CHECKOUT)
    if expected is None:
        assert found is None
        return
    assert found is not None and "Later" not in found.name
    message = NO_PROGRAM.of(found.case, name=found.name, of=found.of, version="", file="", excerpt="").message
    assert named(f"{message}; {found.instead}", expected)


@pytest.mark.parametrize(
    ("error", "note"),
    [
        ("redefinition of 'A2Visitor'", "previous definition is here"),
        ("redefinition of 'struct Epilogue::A2Visitor'", "previous definition of 'struct Epilogue::A2Visitor'"),
    ],
)
def test_a_second_definition_has_two_files(error: str, note: str) -> None:
    words = f"/i/b.hpp:29:8: error: {error}\nstruct A2Visitor {{\n/c/a.hpp:100:8: note: {note}\n"
    found = defined_twice(words)
    assert found is not None and found[0].endswith("A2Visitor") and found[1:] == ("/i/b.hpp", "/c/a.hpp")
    assert missing_name(words, CHECKOUT) is None and defined_twice(words.replace("redefinition", "use")) is None


def test_a_bare_name_of_a_users_file_is_the_users() -> None:
    words = "/home/me/mine.cpp:12:3: error: use of undeclared identifier 'cuont'\n"
    assert missing_name(words, CHECKOUT) is None and missing_name(words) is None
    assert missing_name("g++: error: no input files") is None


def test_a_header_that_is_not_found() -> None:
    assert missing_header("/c/a.cpp:1:10: fatal error: mine/x.hpp: No such file or directory\n") == "mine/x.hpp"
    assert missing_header("/c/a.cpp:1:10: fatal error: 'mine/x.hpp' file not found\n") == "mine/x.hpp"
    assert missing_header("/c/a.cpp:1:10: error: 'x' was not declared in this scope\n") is None
