"""Compiled templates, kept beside the templates as Python keeps its modules: compiling them takes as long as the rest.

A file that is damaged, or of another text of its template, is written again; one that cannot be written costs time and
nothing else. ``PYTHONDONTWRITEBYTECODE`` and ``PYTHONPYCACHEPREFIX`` hold here too. jinja2's own cache of
files raises an exception in both cases, and its files can be read by one user alone.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache, Environment, __version__
from jinja2.bccache import Bucket


class Beside(BytecodeCache):
    """The files are in ``__pycache__`` directories, and named as the interpreter names those of modules. Each is a
    digest of the template and of the code, then the code."""

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        """A bucket whose key is its file, and whose checksum is of all that goes into the code besides Python, whose
        version the name of the file has. The environment is always the same."""
        checksum = self.get_source_checksum(f"{__version__}\0{name}\0{source}")
        bucket = Bucket(environment, cache_from_source(filename or name), checksum)
        self.load_bytecode(bucket)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read the code, if its file is there and sound."""
        with suppress(OSError):
            digest, _, code = Path(bucket.key).read_bytes().partition(b"\n")
            if digest == _digest(bucket, code):
                bucket.code = marshal.loads(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the file as a whole, or not at all."""
        if sys.dont_write_bytecode:
            return
        code = marshal.dumps(bucket.code)
        path = Path(bucket.key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_bytes(_digest(bucket, code) + b"\n" + code)
                temporary.replace(path)
            except OSError:
                temporary.unlink(missing_ok=True)


def _digest(bucket: Bucket, code: bytes) -> bytes:
    return hashlib.sha256(bucket.checksum.encode() + code).hexdigest().encode()
