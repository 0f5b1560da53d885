"""Messages between the examiner and a learner's process: lengths and JSON, nothing that runs.

A message that is too long, is no JSON, or comes too late ends the conversation.  Also copied into
the sandbox, so it imports nothing of the course.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

LONGEST = 8 << 20       # bytes of one message


class Broken(Exception):
    """The other side is gone, silent, or talks nonsense; the text says which."""


class Silent(Broken):
    """It gave no answer in time."""


def send(channel: socket.socket, message: dict) -> None:
    """Raises Broken when nobody takes it within 10 s."""
    data = json.dumps(message).encode()
    channel.settimeout(10)
    try:
        channel.sendall(struct.pack(">I", len(data)) + data)
    except OSError as error:
        raise Broken(f"cannot be reached ({error})") from None


def receive(channel: socket.socket, seconds: float | None = None) -> dict:
    """The next message; raises Broken.  `seconds` is the time for all of it."""
    end = None if seconds is None else time.monotonic() + seconds
    (size,) = struct.unpack(">I", _exactly(channel, 4, end))
    if size > LONGEST:
        raise Broken(f"sent {size / 1e6:.0f} MB where an answer was expected")
    try:
        message = json.loads(_exactly(channel, size, end))
    except (ValueError, RecursionError):
        raise Broken("sent something that is no answer") from None
    if not isinstance(message, dict):
        raise Broken("sent something that is no answer")
    return message


def _exactly(channel: socket.socket, size: int, end: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        left = None if end is None else end - time.monotonic()
        if left is not None and left <= 0:
            raise Silent("gave no answer in time")
        channel.settimeout(left)
        try:
            part = channel.recv(min(size - len(parts), 1 << 20))
        except TimeoutError:
            raise Silent("gave no answer in time") from None
        except OSError as error:
            raise Broken(f"cannot be reached ({error})") from None
        if not part:
            raise Broken("ended")
        parts += part
    return bytes(parts)


class Odd:
    """A value that is neither number, text nor a collection of these."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def pack(value: Any, depth: int = 8) -> Any:
    """A plain Python value as JSON that keeps tuples, lists and dicts apart."""
    if value is None or type(value) in (bool, float, str):
        return value
    if type(value) is int:
        return value if abs(value) < 1 << 63 else {"odd": "a number of more than 63 bits"}
    if depth and isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [
            pack(one, depth - 1) for one in value[:10_000]]}
    if depth and isinstance(value, dict):
        return {"dict": [[pack(k, depth - 1), pack(v, depth - 1)] for k, v in value.items()]}
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:   # a number of numpy or PyTorch
        return pack(value.item(), 0)
    return {"odd": repr(value)[:200]}


def unpack(data: Any, depth: int = 9) -> Any:
    """The value that `pack` wrote; raises Broken for anything else."""
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if isinstance(data, dict) and len(data) == 1 and depth:
        (kind, content), = data.items()
        if kind in ("tuple", "list") and isinstance(content, list):
            return (tuple if kind == "tuple" else list)(unpack(one, depth - 1) for one in content)
        if kind == "odd" and isinstance(content, str):
            return Odd(content[:200])
        if kind == "dict" and isinstance(content, list):
            try:
                return {unpack(k, depth - 1): unpack(v, depth - 1) for k, v in content}
            except (TypeError, ValueError):
                pass
    raise Broken("sent something that is no answer")
