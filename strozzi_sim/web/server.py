"""The local server of a table: one player, one game, on this machine alone.

It listens on 127.0.0.1. The address contains a token; requests must name this host, and those that change something must come
from the page. Bodies, connections and games are bounded.
"""

import hmac
import json
import secrets
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from strozzi_sim.errors import InputError, StrozziError
from strozzi_sim.runtime.parsing import parse_json
from strozzi_sim.table.page import render
from strozzi_sim.web.ending import Ending
from strozzi_sim.web.session import PATIENCE, Refused, Session

HOST = "127.0.0.1"
MAX_BODY = 4_096  # bytes
MAX_CONNECTIONS = 32
_FIELDS = 4  # of a query
_SECONDS = 15.0  # without a byte, after which a connection is closed
_NOTHING = "default-src 'none'"
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class TableServer(ThreadingHTTPServer):
    """The server of one session, and of the results of its finished games; `port` 0 is a free one."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, session: Session, ending: Ending, port: int = 0) -> None:
        self.session, self.ending, self.token = session, ending, secrets.token_urlsafe(24)
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    @property
    def here(self) -> str:
        """Host and port."""
        return f"{HOST}:{self.server_address[1]}"

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{self.here}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread; beyond MAX_CONNECTIONS it is refused."""
        if not self._free.acquire(blocking=False):
            try:
                request.settimeout(1)
                request.sendall(_BUSY)
            except OSError:  # whoever asked has gone
                pass
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that break; print the traceback of an internal error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Problem(Exception):
    """An answer that refuses a request."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class _Handler(BaseHTTPRequestHandler):
    server: TableServer
    server_version, sys_version, protocol_version = "table", "", "HTTP/1.1"
    timeout = _SECONDS
    wbufsize, disable_nagle_algorithm = 65_536, True  # one packet an answer, which no acknowledgement delays by 40 ms

    def do_GET(self) -> None:
        """Answer with the page, its state, or the record."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """Change the game."""
        self._serve(self._post)

    def _serve(self, answer: Callable[[str, Mapping[str, list[str]]], None]) -> None:
        try:
            answer(*self._path())
        except _Problem as problem:
            self._refuse(problem.code, str(problem))
        except Refused as refused:
            self._refuse(409, str(refused), closing=False)
        except StrozziError as error:
            self._refuse(400, str(error), closing=False)
        except (TimeoutError, ConnectionError):
            self.close_connection = True

    def _path(self) -> tuple[str, Mapping[str, list[str]]]:
        """Return the path behind the token, and the query, of a request that may be answered."""
        try:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, max_num_fields=_FIELDS)
        except ValueError:  # such as http://[x, or more fields
            raise _Problem(400, f"expected the address of the table, with at most {_FIELDS} fields") from None
        _, token, *rest = [*parts.path.split("/"), ""]
        here = self.server.here
        is_token = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if self.headers.get("Host") != here or not is_token:
            raise _Problem(404, "there is nothing here")
        origin = self.headers.get("Origin")
        if origin != f"http://{here}" and (origin is not None or self.command == "POST"):
            raise _Problem(403, "this request does not come from the page of the table")
        return "/".join(rest), query

    # -- GET ------------------------------------------------------------------------------------------------------------

    def _get(self, path: str, query: Mapping[str, list[str]]) -> None:
        session = self.server.session
        if path == "/" or (path == "" and urlsplit(self.path).path.endswith("/")):
            data, nonce = session.page_data(), secrets.token_urlsafe(16)
            self._send_html(
                render(session.sitting.game, data, data["heading"], rules=session.rules, nonce=nonce), nonce
            )
        elif path.strip("/") == "state":
            self._send_json(session.state(*(_whole(query, key) for key in ("have", "version"))))
        elif path.strip("/") == "record":
            saved = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
            self._send(200, session.record(), "application/x-ndjson", extra=saved)
        elif path.strip("/") == "replay":
            self._send_html(self.server.ending.page(session), nonce="")
        else:
            raise _Problem(404, "there is nothing here")

    def _send_html(self, page: str, nonce: str) -> None:
        allowed = f"'nonce-{nonce}'" if nonce else "'unsafe-inline'"
        policy = f"{_NOTHING}; img-src data:; script-src {allowed}; style-src {allowed}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        self._send(200, page.encode(), "text/html; charset=utf-8", f"{policy}; connect-src 'self'")

    # -- POST -----------------------------------------------------------------------------------------------------------

    def _post(self, path: str, query: Mapping[str, list[str]]) -> None:
        body, session = self._body(), self.server.session
        version = body.get("version")
        if type(version) is not int:
            raise _Problem(400, "version: expected the number of the last answer")
        deed = path.strip("/")
        if deed == "play":
            session.play(version, action=body.get("action"), name=body.get("name"), composed=body.get("composed"))
        elif deed == "undo":
            session.undo(version)
        elif deed == "line":
            session.line(version, body.get("number"))
        elif deed == "new":
            session.new()
        elif deed == "hint":
            self._send_json(session.hint(version))
            return
        else:
            raise _Problem(404, "there is nothing here")
        session.wait(PATIENCE)
        have = body.get("have")
        self._send_json(session.state(have if type(have) is int and have >= 0 else 0, version))

    def _body(self) -> dict[str, Any]:
        if self.headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
            raise _Problem(415, "expected JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MAX_BODY:
            raise _Problem(413, f"expected at most {MAX_BODY:,} bytes")
        try:
            body = parse_json(self.rfile.read(int(length)))
        except ValueError as error:
            raise _Problem(400, f"not JSON: {error}") from None
        if not isinstance(body, dict):
            raise _Problem(400, "expected an object")
        return body

    # -- answers --------------------------------------------------------------------------------------------------------

    _ALWAYS: ClassVar[Mapping[str, str]] = {
        "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
    }  # fmt: skip

    def _send_json(self, answer: Mapping[str, Any]) -> None:
        self._send(200, json.dumps(answer, separators=(",", ":")).encode(), "application/json")

    def _refuse(self, code: int, words: str, *, closing: bool = True) -> None:
        self.close_connection = self.close_connection or closing
        extra = {"Connection": "close"} if closing else {}
        self._send(code, json.dumps({"error": words}).encode(), "application/json", extra=extra)

    def _send(
        self, code: int, body: bytes, kind: str, policy: str = _NOTHING, extra: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(code)
        lengths = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for key, value in {**lengths, **self._ALWAYS, **(extra or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


def _whole(query: Mapping[str, list[str]], key: str) -> int:
    """Return a whole number of a query; default: 0."""
    text = query.get(key, ["0"])[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{key}: expected a whole number")
    return int(text)
