"""The page of ``evtgen watch``: who gets it, and what happens where it cannot be sent."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from evtgen.report.page.live import LivePage


@pytest.fixture
def port() -> Iterator[int]:
    """Of a page that no buffer of a socket holds."""
    live = LivePage(0)
    live.show(30_000_000 * "x")
    port = urlsplit(live.address).port
    assert port is not None
    yield port
    live.show("")


def test_only_names_of_this_machine_have_an_answer(port: int) -> None:
    names = {f"127.0.0.1:{port}": 200, f"localhost:{port}": 200, f"example.org:{port}": 403, "localhost": 403}
    for name, status in names.items():
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/number", headers={"Host": name})
        answer = connection.getresponse()
        assert answer.status == status and (answer.read() == b"1") is (status == 200), name


def test_a_tab_that_is_closed_is_no_error(
    port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    over, end = Event(), ThreadingHTTPServer.shutdown_request

    def ended(server: Any, request: Any) -> None:
        end(server, request)
        over.set()

    monkeypatch.setattr(ThreadingHTTPServer, "shutdown_request", ended)
    with socket.create_connection(("127.0.0.1", port)) as tab:
        tab.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        tab.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert tab.recv(10)
    assert over.wait(60) and capsys.readouterr().err == ""
