"""A page on this machine that shows the newest text: the browser asks for its number, and loads it again."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SCRIPT = """\
<script>
setInterval(async () => {
  const answer = await fetch("number").catch(() => null);
  if (answer && await answer.text() !== "%d") location.reload();
}, 500);
</script>
"""


class LivePage:
    """A page at :attr:`address`, which only this machine reaches. Where the ``port`` is taken, it has another one."""

    def __init__(self, port: int) -> None:
        live, self._shown = self, (0, "")

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                number, text = live._shown
                body = str(number) if self.path == "/number" else text + _SCRIPT % number
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: Any) -> None:
                """Nothing: the terminal is for what is found."""

        try:
            server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        except OSError:
            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{server.server_address[1]}/"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(self, text: str) -> None:
        """Show this HTML from now on."""
        self._shown = (self._shown[0] + 1, text)
