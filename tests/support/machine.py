"""Running programs that are linked with the machine."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any


def report_of(program: Path, *arguments: str, report: Path, status: int = 0, **variables: str) -> dict[str, Any]:
    """The report of a program that is linked with the machine, whose exit status must be ``status``; ``variables`` are
    added to its environment."""
    environment = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), **variables}
    run = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == status, run.stderr
    return json.loads(report.read_text()) if report.exists() else {"hazards": []}
