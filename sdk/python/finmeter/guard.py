"""Charges calls of one's own code: an ASGI middleware, and a decorator for handlers.

The most that a call may cost is reserved before the work; the charge is on disk before the first byte of the answer leaves.
Answers of status 400 and above cost nothing, and so does code that raises.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import re
import time
from typing import Any, Awaitable, Callable, Mapping, MutableMapping, Optional, TypeVar

import httpx

from ._errors import FinmeterError, lost, read_problem

__all__ = ["Held", "Meter", "MeterMiddleware", "guard", "report"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])

_TRIES = 4
_FIRST_WAIT_SECONDS = 0.1
# How long a repeat is free: the handler does its work again each time, so a constant key must not make calls free.
_REPEAT_SLOT_SECONDS = 300
_CUSTOMERS_FAULT = {
    "key_missing",
    "key_invalid",
    "insufficient_credits",
    "key_budget_exceeded",
    "forbidden",
    "account_suspended",
    "not_entitled",
    "idempotency_mismatch",
    "rate_limited",
}


class Meter:
    """Asks Finmeter. Without arguments, FINMETER_URL and FINMETER_SERVICE_KEY say where it is and who asks."""

    def __init__(
        self,
        url: str | None = None,
        service_key: str | None = None,
        *,
        timeout: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url = url or os.environ.get("FINMETER_URL")
        service_key = service_key or os.environ.get("FINMETER_SERVICE_KEY")
        if not url or not service_key:
            raise ValueError("A meter needs url and service_key, or FINMETER_URL and FINMETER_SERVICE_KEY.")
        self._http = httpx.AsyncClient(
            base_url=url.rstrip("/") + "/v1/meter",
            headers={"finmeter-service-key": service_key},
            timeout=timeout,
            transport=transport,
        )

    async def authorize(self, key: str, operation: str, **most: Any) -> Held:
        """Reserves what a customer's call may cost.

        ``most``: ``credits`` or ``units``, ``idempotency_key``, ``hold_seconds``, ``unsettled``, ``address``, ``client``. Raises
        FinmeterError: the customer's refusal, or ``metering_unavailable`` for everything that is not the customer's fault.
        """
        given = {name: value for name, value in most.items() if value is not None}
        # A lost answer may have left a hold, and each that is charged at its end would cost the customer.
        tries = 1 if given.get("unsettled") == "charge" else _TRIES
        answer = await self._ask("authorize", {"key": key, "operation": operation, **given}, tries)
        return Held(self, answer["hold"], answer["account"])

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _ask(self, verb: str, body: Mapping[str, Any], tries: int = _TRIES) -> dict[str, Any]:
        """A lost answer is asked for again, up to ``tries`` requests in all."""
        for attempt in range(1, tries + 1):
            try:
                response = await self._http.post(f"/{verb}", json=body)
                if response.status_code == 200:
                    answer: dict[str, Any] = response.json()
                    return answer
                failure = read_problem(response)
            except (httpx.TransportError, ValueError) as error:
                failure = lost(error)
            passing = failure.status == 0 or failure.status >= 500
            if not passing and failure.code in _CUSTOMERS_FAULT:
                raise failure
            if not passing or attempt == tries:
                break
            await asyncio.sleep(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
        detail = "Credits cannot be checked at the moment. Try again shortly."
        raise FinmeterError({"code": "metering_unavailable", "detail": detail, "retry_after": 1}, 503) from failure


class Held:
    """Reserved credits."""

    def __init__(self, meter: Meter, hold: str, account: str) -> None:
        self._meter = meter
        self.hold = hold
        """Names the hold, for a settlement by another process."""
        self.account = account
        """The id of the account, which never changes."""

    async def settle(self, *, status: str = "success", **cost: int) -> dict[str, Any]:
        """Charges ``credits`` or ``units``, or everything that was reserved. On disk when it returns.

        Returns ``receipt``, ``credits_charged``, ``remaining`` (None: the plan has no count) and ``replayed``.
        """
        return await self._meter._ask("settle", {"hold": self.hold, "status": status, **cost})

    async def release(self) -> None:
        """For calls that were not carried out. They are not recorded."""
        await self._meter._ask("release", {"hold": self.hold})


def report(scope: Scope, **cost: int) -> None:
    """Inside a metered app: what this call came to, in ``credits`` or ``units``, if less than was reserved."""
    scope["finmeter.cost"] = cost


class MeterMiddleware:
    """Charges requests to an ASGI app.

    ``prices`` maps ``"GET /prices/{symbol}"`` to what a request stands for: ``{"operation": "acme_price", "credits": 2}``. Of
    several that fit, the first counts. Requests without a price pass, and are free.
    """

    def __init__(self, app: App, prices: Mapping[str, Mapping[str, Any]], meter: Meter | None = None) -> None:
        self._app = app
        self._meter = meter or Meter()
        self._prices = [(_pattern(place), dict(price)) for place, price in prices.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Apps answer HEAD with the work of GET.
        method = "GET" if scope.get("method") == "HEAD" else scope.get("method")
        asked = f"{method} {scope.get('path')}"
        price = next((price for pattern, price in self._prices if pattern.fullmatch(asked)), None)
        if scope["type"] != "http" or price is None:
            return await self._app(scope, receive, send)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope.get("query_string", b"").decode("latin-1")
        client = scope.get("client")
        try:
            held = await _authorize(self._meter, price, headers, f"{asked}?{query}", client[0] if client else None)
        except FinmeterError as error:
            return await _refuse(send, error)
        settling = _SettleBeforeSending(held, scope, send)
        try:
            await self._app(scope, receive, settling)
        except BaseException:
            await settling.fail()
            raise
        await settling.fail()


class _SettleBeforeSending:
    """Holds back the start of an answer until the call is settled."""

    def __init__(self, held: Held, scope: Scope, send: Send) -> None:
        self._held, self._scope, self._send = held, scope, send
        self._settled = False
        self._refused = False

    async def __call__(self, message: Message) -> None:
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self._settled = True
            try:
                facts = await _settle(self._held, message["status"], self._scope.get("finmeter.cost", {}))
            except FinmeterError as error:
                self._refused = True
                return await _refuse(self._send, error)
            added = [(name.encode(), value.encode()) for name, value in facts.items()]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await self._send(message)

    async def fail(self) -> None:
        """The app ended or broke off without an answer."""
        if self._settled:
            return
        self._settled = True
        try:
            await self._held.settle(status="failed")
        except FinmeterError:
            pass


def guard(operation: str, *, meter: Optional[Meter] = None, **most: Any) -> Callable[[Handler], Handler]:
    """Charges each call of an async handler whose first argument has ``headers`` and which returns an answer with
    ``status_code`` and ``headers``, as in Starlette.

    ``most``: ``credits`` or ``units``, ``hold_seconds``, ``unsettled``; with ``unsettled="charge"``, idempotency keys of customers
    do not count. A refusal raises FinmeterError, whose ``status`` and ``code``
    belong into the answer.
    """
    price = {"operation": operation, **most}

    def decorate(handler: Handler) -> Handler:
        @functools.wraps(handler)
        async def guarded(request: Any, *args: Any, **named: Any) -> Any:
            headers = {str(name).lower(): str(value) for name, value in request.headers.items()}
            target = f"{getattr(request, 'method', 'POST')} {getattr(request, 'url', '')}"
            client = getattr(request, "client", None)
            held = await _authorize(meter or _usual(), price, headers, target, getattr(client, "host", None))
            try:
                answer = await handler(request, *args, **named)
            except BaseException:
                try:
                    await held.settle(status="failed")
                except FinmeterError:
                    pass
                raise
            cost = getattr(request, "scope", {}).get("finmeter.cost", {})
            for name, value in (await _settle(held, answer.status_code, cost)).items():
                answer.headers[name] = value
            return answer

        return guarded  # type: ignore[return-value]

    return decorate


@functools.lru_cache(maxsize=1)
def _usual() -> Meter:
    return Meter()


def _pattern(place: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^{}]+\}", place)
    return re.compile("[^/]+".join(re.escape(part) for part in parts))


async def _authorize(
    meter: Meter, price: Mapping[str, Any], headers: Mapping[str, str], target: str, address: str | None
) -> Held:
    bearer = re.fullmatch(r"(?i)bearer +(.+)", headers.get("authorization", ""))
    key = headers.get("x-api-key", "").strip() or (bearer.group(1).strip() if bearer else "")
    if not key:
        detail = "An API key is required. Send it as Authorization: Bearer or X-API-Key."
        raise FinmeterError({"code": "key_missing", "detail": detail}, 401)
    given = headers.get("idempotency-key")
    # Only a request without a body is whole in its address: another body with the same key is another call.
    repeatable = given is not None and target.startswith(("GET ", "HEAD ")) and price.get("unsettled") != "charge"
    slot = int(time.time() // _REPEAT_SLOT_SECONDS)
    digest = hashlib.sha256(f"{slot} {target}\n{given}".encode()).hexdigest() if repeatable else None
    agent = headers.get("user-agent", "")[:500]
    return await meter.authorize(key, **price, idempotency_key=digest, address=address, client=agent)


async def _settle(held: Held, status: int, cost: Mapping[str, int]) -> dict[str, str]:
    """The headers of the answer."""
    if 400 <= status < 500:
        await held.release()
        return {"x-credits-charged": "0"}
    settled = await (held.settle(**cost) if status < 400 else held.settle(status="failed"))
    remaining = settled["remaining"]
    return {
        "x-credits-charged": str(settled["credits_charged"]),
        "x-credits-remaining": "unlimited" if remaining is None else str(remaining),
        "x-receipt-id": settled["receipt"],
    }


async def _refuse(send: Send, error: FinmeterError) -> None:
    problem = {"code": error.code, "status": error.status, "detail": str(error), "docs": error.docs}
    headers = [(b"content-type", b"application/problem+json"), (b"cache-control", b"private, no-store")]
    if error.retry_after is not None:
        headers.append((b"retry-after", str(int(error.retry_after)).encode()))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(problem).encode()})
