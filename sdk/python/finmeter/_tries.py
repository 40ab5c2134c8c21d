"""When a call is sent again: the same rules for both clients, without sending anything."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import secrets
from dataclasses import dataclass
from typing import Any, Mapping
from urllib.parse import quote

from ._errors import FinmeterError

_RETRIED = {408, 429, 500, 502, 503, 504}
_FIRST_WAIT = 0.25
_LONGEST_BACKOFF = 8.0


@dataclass(frozen=True)
class CallOptions:
    """Settings of a call. Those that are None come from the client."""

    idempotency_key: str | None = None
    """Charges this call once within 24 hours, whichever process repeats it. Default: a new key for each call."""
    timeout: float | None = None
    """Longest time without progress, in seconds. Default 30."""
    retries: int | None = None
    """How often a failed try is repeated. Default 4. Waiting for a rate limit does not count."""
    max_wait: float | None = None
    """Longest time spent waiting between tries, including for a rate limit, in seconds. Default 120."""

    def over(self, defaults: CallOptions) -> CallOptions:
        given = {name: value for name, value in dataclasses.asdict(self).items() if value is not None}
        return dataclasses.replace(defaults, **given)


DEFAULTS = CallOptions(timeout=30.0, retries=4, max_wait=120.0)


@dataclass(frozen=True)
class Operation:
    """One operation of the API, as the generated code describes it."""

    name: str
    method: str
    path: str
    page_rows: int | None = None
    """The most rows that one answer has, where ``limit`` counts rows and a cursor continues."""


@dataclass(frozen=True)
class Wire:
    """Where and what to send."""

    method: str
    path: str
    params: dict[str, str]
    content: bytes | None


def wire_of(operation: Operation, given: Mapping[str, Any], query: Mapping[str, str]) -> Wire:
    """Puts the input into the path, then into the query (GET) or the body (POST)."""
    rest = {name: value for name, value in given.items() if value is not None}

    def fill(match: re.Match[str]) -> str:
        value = rest.pop(match[1], "")
        if value == "":
            raise ValueError(f"{operation.name}: {match[1]} is required.")
        return quote(str(value), safe="")

    path = re.sub(r"\{(\w+)\}", fill, operation.path)
    if operation.method == "POST":
        return Wire("POST", path, dict(query), json.dumps(rest).encode())
    params = {name: _text(value) for name, value in {**rest, **query}.items()}
    return Wire("GET", path, params, None)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)


class Tries:
    """The tries of one call. All have the same idempotency key, so the server charges once even if an answer was lost."""

    def __init__(self, options: CallOptions, wire: Wire) -> None:
        self.key = options.idempotency_key or secrets.token_hex(16)
        self.headers = {"idempotency-key": self.key}
        if wire.content is not None:
            self.headers["content-type"] = "application/json"
        self._retries = options.retries if options.retries is not None else 4
        self._left = options.max_wait if options.max_wait is not None else 120.0
        self._failures = 0

    def wait_after(self, failure: FinmeterError) -> float:
        """Seconds until the next try. Raises the failure if there is none."""
        failure.idempotency_key = self.key
        # Waiting for a rate limit is bounded by time alone.
        if failure.status != 429 or failure.retry_after is None:
            self._failures += 1
        # conflict: an earlier try of this call is still in progress.
        retried = failure.status == 0 or failure.status in _RETRIED or failure.code == "conflict"
        if self._failures > self._retries or not retried:
            raise failure
        if failure.retry_after is None:
            wait = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0 ** (self._failures - 1)) * random.uniform(0.5, 1)
        else:
            # The server's time, and a little more, so that waiting clients do not all return in the same instant.
            wait = failure.retry_after + random.uniform(0, 0.25)
        self._left -= wait
        if self._left < 0:
            raise failure
        return wait
