"""Lines of a program in place of addresses of its code, by which the machine names accesses through pointers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_ADDRESS = re.compile(r'program@(0x[0-9a-f]+)(:|", ?"line": ?)0')


def with_lines(text: str, program: Path) -> str:
    """``text`` with ``program@ADDRESS`` replaced by the file and line of that code, where ``addr2line`` knows them."""
    addresses = list(dict.fromkeys(address for address, _ in _ADDRESS.findall(text)))
    if not addresses:
        return text
    try:
        said = subprocess.run(
            ["addr2line", "-e", str(program), *addresses], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return text
    places = {address: re.match(r"(.+):(\d+)", place) for address, place in zip(addresses, said, strict=True)}

    def line(found: re.Match[str]) -> str:
        place = places[found[1]]
        return found[0] if place is None else f"{place[1]}{found[2]}{place[2]}"

    return _ADDRESS.sub(line, text)
