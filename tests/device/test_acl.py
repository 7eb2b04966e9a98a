"""The stand-in for AscendCL: memory that the host does not have is an error, not the end of the program."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.paths import CHECKOUT

PROGRAM = """
#include <acl/acl.h>
#include <cstdio>

int main()
{
    size_t const sizes[] = {SIZES};
    for (size_t size : sizes) {
        void* device = nullptr;
        void* host = nullptr;
        std::printf("%d ", aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
        std::printf("%d ", aclrtMallocHost(&host, size));
        if (device != nullptr) {
            aclrtFree(device);
        }
        aclrtFreeHost(host);
    }
}
"""
TOO_MUCH = ["~size_t{0}", "~size_t{0} - 4096", "~size_t{0} - 8703", "size_t{1} << 63", "size_t{1} << 47"]
"""Sizes that no host has; rounded up, the first ones wrap around."""


def run(path: Path, sizes: list[str], limit: int | None = None) -> list[int]:
    path.write_text(PROGRAM.replace("SIZES", ", ".join(sizes)))
    command = [sys.executable, "-m", "evtgen", "cpu", "--json", str(path)]
    if limit is not None:
        command = ["sh", "-c", f'ulimit -v {limit} && exec "$@"', "sh", *command]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [int(word) for word in json.loads(done.stdout)["stdout"].split()]


def test_too_much_is_an_error_of_acl(tmp_path: Path) -> None:
    assert run(tmp_path / "much.cpp", TOO_MUCH) == [207001] * (2 * len(TOO_MUCH))


def test_what_fits_is_given_and_nothing_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path / "fits.cpp", ["1", "size_t{96} << 20"]) == [0] * 4
    assert run(tmp_path / "none.cpp", ["0"]) == [100000] * 2


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("sh") is None, reason="needs ulimit -v")
def test_what_the_address_space_has_no_room_for_is_an_error_too(tmp_path: Path) -> None:
    # The shadow of the memory does not fit, or the memory itself.
    run(tmp_path / "limited.cpp", ["1"])
    assert run(tmp_path / "limited.cpp", ["size_t{3} << 30"], limit=3 << 20) == [207001] * 2


def test_the_names_of_the_runtime(tmp_path: Path) -> None:
    """The header of the runtime alone, the host's half, and printf in a kernel that includes nothing else."""
    path = tmp_path / "names.cpp"
    path.write_text(
        '#include "acl/acl_rt.h"\n#include "utils/debug/asc_printf.h"\n'
        '__global__ __vector__ void Says() { printf("%s ", "kernel"); }\n'
        'int main() { Says<<<2, nullptr, nullptr>>>(); std::printf("%g %s", '
        "aclFloat16ToFloat(aclFloatToFloat16(0.1f)), aclGetRecentErrMsg()); }\n"
    )
    command = [sys.executable, "-m", "evtgen", "cpu", "--json", str(path)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["stdout"] == "kernel kernel 0.0999756 ", done.stdout
