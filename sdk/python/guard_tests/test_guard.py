"""The guards against the running product; sdk/testing/python-guard.test.ts starts it."""

import asyncio
import json
import os
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import finmeter.guard as guards
from finmeter import FinmeterError
from finmeter.guard import Meter, MeterMiddleware, guard, report

KEYS = json.loads(os.environ["FINMETER_KEYS"])
PRICES = {
    "GET /prices/all": {"operation": "acme_all"},
    "GET /prices/{symbol}": {"operation": "acme_price", "credits": 3},
    "POST /orders": {"operation": "acme_order"},
}


async def app(scope: Any, receive: Any, send: Any) -> None:
    path = scope["path"]
    if path.endswith("BROKEN"):
        raise RuntimeError("broken")
    if path.endswith("CHEAP"):
        report(scope, credits=1)
    status = 404 if path.endswith("MISSING") else 200
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
    for piece in range(3):
        await send({"type": "http.response.body", "body": b"piece\n", "more_body": piece < 2})


def ask(path: str, key: str = "", method: str = "GET", meter: Any = None, **headers: str) -> httpx.Response:
    async def send() -> httpx.Response:
        metered = MeterMiddleware(app, PRICES, meter() if meter else None)
        given = {"authorization": f"Bearer {key}", **headers} if key else headers
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=metered), base_url="http://own") as client:
            return await client.request(method, path, headers=given)

    return asyncio.run(send())


def charged(answer: httpx.Response) -> list[Any]:
    return [answer.status_code, answer.headers.get("x-credits-charged"), answer.headers.get("x-credits-remaining")]


def test_an_answer_costs_its_price_and_names_its_receipt() -> None:
    answer = ask("/prices/A", KEYS["price"])
    assert answer.text == "piece\n" * 3
    assert charged(answer) == [200, "3", "97"]
    assert answer.headers["x-receipt-id"].startswith("rcpt_")
    assert charged(ask("/prices/all", KEYS["price"])) == [200, "7", "90"]
    assert charged(ask("/prices/CHEAP", KEYS["price"])) == [200, "1", "89"]
    assert charged(ask("/orders", KEYS["price"], "POST")) == [200, "2", "87"]


def test_what_has_no_price_is_free() -> None:
    assert charged(ask("/health")) == [200, None, None]


def test_wrong_requests_and_failures_cost_nothing() -> None:
    assert charged(ask("/prices/MISSING", KEYS["failing"])) == [404, "0", None]
    with pytest.raises(RuntimeError):
        ask("/prices/BROKEN", KEYS["failing"])


@pytest.mark.parametrize(
    ("key", "status", "code"),
    [("", 401, "key_missing"), ("fm_wrong", 401, "key_invalid"), (KEYS["empty"], 402, "insufficient_credits")],
)
def test_refusals_reach_the_customer(key: str, status: int, code: str) -> None:
    answer = ask("/prices/A", key)
    assert [answer.status_code, answer.json()["code"]] == [status, code]
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_limit_says_when_to_come_back() -> None:
    ask("/prices/A", KEYS["limited"])
    answer = ask("/prices/A", KEYS["limited"])
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


def test_a_repeat_with_an_idempotency_key_is_free_for_five_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [3_000_009.0]
    monkeypatch.setattr(guards, "time", SimpleNamespace(time=lambda: now[0]))
    once = {"idempotency-key": "once"}
    first, second = (ask("/prices/A", KEYS["repeating"], **once) for _ in range(2))
    assert [first.headers["x-credits-charged"], second.headers["x-credits-charged"]] == ["3", "0"]
    assert second.headers["x-receipt-id"] == first.headers["x-receipt-id"]
    assert charged(ask("/prices/B", KEYS["repeating"], **once))[1] == "3"
    now[0] += 300
    assert charged(ask("/prices/A", KEYS["repeating"], **once))[1] == "3"


def test_a_hold_that_is_charged_at_its_end_is_asked_for_once_and_without_an_idempotency_key() -> None:
    asked: list[Any] = []

    def lose(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content))
        raise httpx.ReadError("lost")

    @guard("acme_price", credits=3, unsettled="charge", meter=Meter(transport=httpx.MockTransport(lose)))
    async def price(request: Any) -> Any:
        raise AssertionError

    headers = {"X-API-Key": "fm_any", "Idempotency-Key": "once"}
    with pytest.raises(FinmeterError):
        asyncio.run(price(SimpleNamespace(method="GET", url="http://own/", headers=headers)))
    assert ["idempotency_key" in body for body in asked] == [False]


def test_without_finmeter_nothing_is_served() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    answer = ask("/prices/A", KEYS["price"], meter=lambda: Meter(transport=httpx.MockTransport(refuse)))
    assert [answer.status_code, answer.json()["code"]] == [503, "metering_unavailable"]


def test_customers_learn_nothing_of_a_wrong_service_key() -> None:
    answer = ask("/prices/A", KEYS["price"], meter=lambda: Meter(service_key="fms_wrong"))
    assert [answer.status_code, answer.json()["code"]] == [503, "metering_unavailable"]


def test_a_decorated_handler() -> None:
    async def calls() -> None:
        meter = Meter()

        @guard("acme_price", credits=2, meter=meter)
        async def price(request: Any) -> Any:
            if request.scope.get("broken"):
                raise RuntimeError("broken")
            return SimpleNamespace(status_code=200, headers={})

        def request(key: str, **scope: Any) -> Any:
            return SimpleNamespace(method="GET", url="http://own/", headers={"X-API-Key": key}, scope=scope)

        answer = await price(request(KEYS["decorated"]))
        assert answer.headers["x-credits-charged"] == "2"
        with pytest.raises(RuntimeError):
            await price(request(KEYS["decorated"], broken=True))
        with pytest.raises(FinmeterError) as refused:
            await price(request(KEYS["empty"]))
        assert [refused.value.status, refused.value.code] == [402, "insufficient_credits"]
        await meter.aclose()

    asyncio.run(calls())
