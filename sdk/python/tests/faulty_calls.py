"""Calls through a network that fails, run by `sdk/testing/fault-proof.test.ts`. Prints what the client told its caller."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor

from finmeter import AsyncFinmeter, CallOptions, Finmeter, FinmeterError

calls, callers = map(int, sys.argv[1:3])
rich, poor = sys.argv[3:]
options = CallOptions(retries=40, max_wait=1e9)
option = dict(type="put", spot=9, strike=9, rate=0, days=9, volatility=1)


def is_poor(at):
    return at % 10 == 9


def outcome(at, receipt=None, error=None):
    return {
        "poor": is_poor(at),
        "receipt": receipt and receipt.id,
        "charged": receipt.credits_charged if receipt else 0,
        "error": error and f"{error.status} {error.code}",
    }


def with_threads(numbers):
    with Finmeter(rich, options=options) as rich_client, Finmeter(poor, options=options) as poor_client:

        def receipt_of(at):
            client = poor_client if is_poor(at) else rich_client
            if at % 4 == 0:
                return client.get_bars("VIX", limit=3).page().receipt
            if at % 4 == 1:
                return client.get_quote(["VIX"]).csv().receipt
            if at % 4 == 2:
                return client.price_option(**option).page().receipt
            stream = client.get_bars("VIX", limit=9).stream()
            assert len(list(stream)) == 9
            return stream.receipt

        def one(at):
            try:
                return outcome(at, receipt_of(at))
            except FinmeterError as error:
                return outcome(at, error=error)

        with ThreadPoolExecutor(callers) as pool:
            return list(pool.map(one, numbers))


async def with_asyncio(numbers):
    turn = asyncio.Semaphore(callers)
    async with AsyncFinmeter(rich, options=options) as rich_client, AsyncFinmeter(poor, options=options) as poor_client:

        async def receipt_of(at):
            client = poor_client if is_poor(at) else rich_client
            if at % 4 == 0:
                return (await client.get_bars("VIX", limit=3)).receipt
            if at % 4 == 1:
                return (await client.get_quote(["VIX"]).csv()).receipt
            if at % 4 == 2:
                return (await client.price_option(**option)).receipt
            stream = client.get_bars("VIX", limit=9).stream()
            assert len([row async for row in stream]) == 9
            return stream.receipt

        async def one(at):
            async with turn:
                try:
                    return outcome(at, await receipt_of(at))
                except FinmeterError as error:
                    return outcome(at, error=error)

        return await asyncio.gather(*map(one, numbers))


outcomes = with_threads(range(calls // 2)) + asyncio.run(with_asyncio(range(calls // 2, calls)))
print(json.dumps(outcomes))
