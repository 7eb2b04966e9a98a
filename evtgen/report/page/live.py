"""A page on this machine that shows the newest text: the browser asks for its number, and loads it again."""

from __future__ import annotations

import threading
from contextlib import suppress
from http import HTTPStatus
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
            """Answers with the page, or with the number of its text, by which the browser knows that it is old."""

            def handle(self) -> None:
                """Answer, or stop where the tab was closed before the answer's end."""
                with suppress(ConnectionError):
                    super().handle()

            def do_GET(self) -> None:
                """The answer. A page of another site may reach this port, but not under a name of this machine."""
                if self.headers["Host"] not in live._hosts:
                    self.send_error(HTTPStatus.FORBIDDEN)
                    return
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
        port = server.server_address[1]
        self._hosts = [name if port == 80 else f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
        self.address = f"http://{self._hosts[0]}/"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(self, text: str) -> None:
        """Show this HTML from now on."""
        self._shown = (self._shown[0] + 1, text)
