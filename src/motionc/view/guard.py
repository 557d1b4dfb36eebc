"""Who may look? A page on one address of this machine, for whoever was given that address.

viser answers whoever connects. Here each request is looked at first: a page that comes from elsewhere may not talk to
the viewer behind its user's back, and where others reach the address, a token must come along; a cookie keeps it.
"""

import hmac
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import token_urlsafe
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from motionc import checked
from motionc.errors import Error

COOKIE = "motionc"
TRIED = 100
"""Ports from the one that was asked for, where it is in use."""
NEEDED = "the viewer needs viser: pip install 'motionc[view]'"
_opening = Lock()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def opened(host: str, port: int) -> tuple[Any, str]:
    """A viser server on this address, and the token it asks for: "" where only this machine reaches it.

    Args:
        host: an address of this machine.
        port: the first to try; where it is in use, the next that is free. 0: any.
    """
    viser = _viser()
    host = checked.name("show: host", host, "give an address of this machine, such as 127.0.0.1")
    wanted = "give a number from 0 (any that is free) to 65535"
    port = checked.whole("show: port", port, 0, wanted)
    if port > 65535:
        raise checked.refusal("show: port", port, wanted)
    token = "" if is_loopback(host) else token_urlsafe(16)
    port = _free(host, port)
    with _opening, _silent(), _asking(_asked(host, token)) as was_asked:
        server = viser.ViserServer(host=host, port=port, verbose=False)
    if not was_asked:
        close(server)
        raise Error(f"viser {viser.__version__} lets nobody ask who connects; install another: viser>=1.0,<2")
    # nobody opens a tunnel to the rest of the world from here
    for request in (viser._messages.ShareUrlRequest, viser._messages.ShareUrlDisconnect):
        server._connection.unregister_handler(request)
    return server, token


def close(server: Any) -> None:
    """End a server."""
    with _silent():
        server.stop()


@contextmanager
def _silent() -> Generator[None]:
    """What viser prints of itself is not said."""
    import rich

    console = rich.get_console()
    was, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = was


def _viser() -> Any:
    try:
        import viser
    except ImportError as error:
        raise Error(NEEDED) from error
    return viser


def _free(host: str, port: int) -> int:
    """The first port from this one on that nobody listens on; viser itself would look for one forever."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise checked.refusal("show: host", host, "nobody knows that address; give 127.0.0.1") from None
    said: str | None = ""
    for number in range(port, min(port + TRIED, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((where[0], number))
                tried.listen(1)
            except OSError as error:
                said = error.strerror
                continue
            return tried.getsockname()[1]
    raise Error(f"nothing can listen on {host}, ports {port} to {port + TRIED - 1}: {said}; give others")


# ---------------------------------------------------------------- each request


def _asked(host: str, token: str) -> Callable[[Any], tuple[int, dict[str, str]] | None]:
    """What to answer a request in place of the page: a status and headers; None where it may pass."""

    def answer(request: Any) -> tuple[int, dict[str, str]] | None:
        name, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        here = urlsplit(f"//{name}")
        # a page from elsewhere; or a name from elsewhere that was made to mean this machine
        if origin is not None and urlsplit(origin).netloc != name:
            return 403, {}
        if not token:
            return None if is_loopback(here.hostname or "") else (403, {})
        given = parse_qs(urlsplit(request.path).query).get("token", [""])[0]
        if given and _same(given, token):
            return 303, {"Location": "/", "Set-Cookie": f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"}
        return None if _same(_cookie(request.headers.get("Cookie", "")), token) else (403, {})

    return answer


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _cookie(header: str) -> str:
    try:
        kept = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return kept.value if kept else ""


@contextmanager
def _asking(answer: Callable[[Any], tuple[int, dict[str, str]] | None]) -> Generator[list[bool]]:
    """While it lasts, a websocket server that is opened asks `answer` about each request; the list says one was."""
    import websockets.asyncio.server as module
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    serve, was_asked = module.serve, list[bool]()

    def guarded(*arguments: Any, process_request: Callable[[Any, Any], Any], **options: Any) -> Any:
        def process(connection: Any, request: Any) -> Any:
            try:
                instead = answer(request)
            except ValueError:  # no address, no header
                instead = 400, {}
            if instead is None:
                return process_request(connection, request)
            status, headers = instead
            body = b"motionc: open the whole address that was printed, with its token\n"
            headers = {"Content-Type": "text/plain", "Content-Length": str(len(body)), "Connection": "close", **headers}
            return Response(status, "See Other" if status == 303 else "Forbidden", Headers(**headers), body)

        was_asked.append(True)
        return serve(*arguments, process_request=process, **options)

    module.serve = guarded
    try:
        yield was_asked
    finally:
        module.serve = serve
