"""A server for one user's page on this machine: a table or the desk.

It listens on 127.0.0.1 by default. The address contains a token. Requests must name this host, with any port, since a
tunnel or a container may have another one; those that change something must come from the page. A page whose own host
name leads here (DNS rebinding) is thus refused. Bodies and connections are bounded.
"""

import hmac
import json
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from threading import BoundedSemaphore, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from strozzi_sim.errors import ArgumentError, Stopped, StrozziError, check_range, short_repr
from strozzi_sim.runtime.parsing import parse_json

HOST = "127.0.0.1"
_LOOPBACK = "localhost", HOST, "::1"
MAX_CONNECTIONS = 32  # that are served at once
Query = Mapping[str, list[str]]
_FIELDS = 4  # largest number of fields of a query
_SECONDS = 15.0  # a connection without a byte for this time is closed
_NOTHING = "default-src 'none'"
_ALONE = f"{_NOTHING}; frame-ancestors 'none'"
_NO_MORE: Mapping[str, str] = {}


class Pages:
    """The pages of a server, which answer its requests."""

    max_body = 4_096  # bytes of a request
    conflicts: ClassVar[tuple[type[StrozziError], ...]] = ()  # errors answered with 409, others with 400

    def get(self, request: "LocalHandler", path: str, query: Query) -> None:
        """Answer a request for a path."""
        raise NotImplementedError

    def post(self, request: "LocalHandler", path: str, body: dict[str, Any]) -> None:
        """Carry out a request of the page."""
        raise NotImplementedError


class LocalServer(ThreadingHTTPServer):
    """A server whose page opens only at an address with a token; port 0 is a free one.

    `host` is the address to listen on; the user decides whether other machines can reach it.
    """

    daemon_threads = True
    request_queue_size = 1_024  # connections that wait

    def __init__(self, pages: Pages, port: int = 0, host: str = HOST) -> None:
        self.pages = pages
        check_range("port", port, 0, 65_535)
        if host in ("", "0.0.0.0", "::"):  # requests name one host, which the handler checks
            raise ArgumentError("host", f"must be one address of this machine, such as {HOST}, got {short_repr(host)}")
        self.token = secrets.token_urlsafe(24)
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        self.address_family = AF_INET6 if ":" in host else AF_INET
        try:
            super().__init__((host, port), LocalHandler)
        except OSError as error:
            words = f"cannot listen on port {port} of {host}: {error.strerror or error}"
            raise ArgumentError("port" if host == HOST else "host", words) from error
        self.hosts = {*_LOOPBACK, host.lower(), str(self.server_address[0])}  # names of this host in requests

    @property
    def here(self) -> str:
        """Host and port."""
        host, port = self.server_address[:2]
        return f"[{host!s}]:{port}" if self.address_family == AF_INET6 else f"{host!s}:{port}"

    @property
    def address(self) -> str:
        """The address of the page, with its token."""
        return f"http://{self.here}/{self.token}/"

    def serve_until_interrupted(self, name: str, *, opens: bool = False) -> None:
        """Print the address of the page `name`, open it in the browser if `opens`, and serve it until a signal."""
        print(f"Open {self.address}\nCtrl+C closes the {name}.", flush=True)
        if opens:  # in a thread, as a text browser ends only when its user leaves it
            Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()
        try:
            self.serve_forever()
        except (KeyboardInterrupt, Stopped):
            print(f"The {name} is closed.")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, once fewer than MAX_CONNECTIONS are served."""
        self._free.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a connection that breaks; print the traceback of another error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Problem(Exception):
    """A request that is refused with a status code and a sentence."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def as_object(content: bytes) -> dict[str, Any]:
    """Return the JSON object that a page sent. Raises Problem."""
    try:
        body = parse_json(content)
    except ValueError as error:
        raise Problem(400, f"not JSON: {error}") from None
    if not isinstance(body, dict):
        raise Problem(400, "expected an object")
    return body


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


class LocalHandler(BaseHTTPRequestHandler):
    """Checks requests to a LocalServer, has its pages answer them, and sends the answers."""

    server: LocalServer
    server_version, sys_version, protocol_version = "strozzi", "", "HTTP/1.1"
    timeout = _SECONDS
    wbufsize, disable_nagle_algorithm = 65_536, True  # a short answer is one packet, without 40 ms of waiting

    def do_GET(self) -> None:
        """Answer a GET."""
        self._serve(self.server.pages.get)

    def do_POST(self) -> None:
        """Answer a POST of JSON."""
        self._serve(lambda request, path, query: self.server.pages.post(request, path, self._body()))

    def _serve(self, answer: Callable[["LocalHandler", str, Query], None]) -> None:
        try:
            answer(self, *self._path())
        except Problem as problem:
            self._refuse(problem.code, str(problem))
        except StrozziError as error:
            code = 409 if isinstance(error, self.server.pages.conflicts) else 400
            self._refuse(code, str(error), closing=False)
        except (TimeoutError, ConnectionError):
            self.close_connection = True
        except Exception:  # the page is answered too
            self._refuse(500, "an internal error; the terminal that serves this page shows it")
            self.wfile.flush()
            raise

    def _path(self) -> tuple[str, Query]:
        """Return the path after the token ("/" of the page, else such as "state/"), and the query. Raises Problem."""
        try:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, max_num_fields=_FIELDS)
        except ValueError:  # such as http://[x, or more fields
            raise Problem(400, f"expected the address of the page, with at most {_FIELDS} fields") from None
        _, token, *rest = [*parts.path.split("/"), ""]
        host = self.headers.get("Host", "")
        is_token = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if _host_name(host) not in self.server.hosts or not is_token:
            raise Problem(404, "there is nothing here")
        origin = self.headers.get("Origin")
        if origin != f"http://{host}" and (origin is not None or self.command == "POST"):
            raise Problem(403, "this request does not come from the page")
        return "/".join(rest), query

    def _body(self) -> dict[str, Any]:
        if self.headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
            raise Problem(415, "expected JSON")
        length = self.headers.get("Content-Length", "")
        max_body = self.server.pages.max_body
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > max_body:
            raise Problem(413, f"expected at most {max_body:,} bytes")
        return as_object(self.rfile.read(int(length)))

    _ALWAYS: ClassVar[Mapping[str, str]] = {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }

    def send_html(self, page: str, nonce: str = "", more: str = "", frames: str = "'none'") -> None:
        """Send a page that `frames` may frame; script and style have the nonce, or are inline; `more` is its policy."""
        allowed = f"'nonce-{nonce}'" if nonce else "'unsafe-inline'"
        policy = f"{_NOTHING}; img-src 'self' data:; script-src {allowed}; style-src {allowed}; base-uri 'none'"
        policy += f"; form-action 'none'; connect-src 'self'; frame-ancestors {frames}{more}"
        self.send(200, page.encode(), "text/html; charset=utf-8", policy)

    def send_page(self, page: Callable[[str], str], more: str = "") -> None:
        """Send a page whose script and style have a new nonce; `more` is added to its policy."""
        nonce = secrets.token_urlsafe(16)
        self.send_html(page(nonce), nonce, more)

    def send_json(self, answer: Any) -> None:
        """Send plain data as JSON."""
        self.send(200, json.dumps(answer, separators=(",", ":")).encode(), "application/json")

    def send_file(self, content: bytes, kind: str, name: str) -> None:
        """Send a file that the browser saves under this name."""
        self.send(200, content, kind, more={"Content-Disposition": f'attachment; filename="{name}"'})

    def _refuse(self, code: int, words: str, *, closing: bool = True) -> None:
        self.close_connection = self.close_connection or closing
        more = {"Connection": "close"} if closing else {}
        self.send(code, json.dumps({"error": words}).encode(), "application/json", more=more)

    def send(self, code: int, body: bytes, kind: str, policy: str = _ALONE, more: Mapping[str, str] = _NO_MORE) -> None:
        """Send an answer with the headers that all answers have."""
        self.send_response(code)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for key, value in {**headers, **self._ALWAYS, **more}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""
