"""Runs every benchmark, or those that are named: ``python -m benchmarks [cli] [generate] [compile] [model] [cube]
[epilogues] [gallery] [buffers]``."""

from __future__ import annotations

import sys

from . import (
    bench_buffers,
    bench_cli,
    bench_compile,
    bench_cube,
    bench_epilogues,
    bench_gallery,
    bench_generate,
    bench_model,
)

ALL = {
    "cli": bench_cli,
    "generate": bench_generate,
    "compile": bench_compile,
    "model": bench_model,
    "cube": bench_cube,
    "epilogues": bench_epilogues,
    "gallery": bench_gallery,
    "buffers": bench_buffers,
}


def main() -> None:
    for name in sys.argv[1:] or ALL:
        benchmark = ALL[name]
        print(f"\n{name}: {(benchmark.__doc__ or '').splitlines()[0]}", flush=True)
        for line in benchmark.run():
            print(f"  {line}", flush=True)


main()
