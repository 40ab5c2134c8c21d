"""Sending calls, with and without asyncio. ``_tries`` decides what is sent again."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any, AsyncIterator, Callable, Generator, TypeVar

import httpx

from ._answers import Answer, Csv, Estimate, Receipt, data_of, read_receipt
from ._calls import AsyncTableCall, Input, StreamState, TableCall, progress_line
from ._errors import FinmeterError, lost, read_problem
from ._tries import DEFAULTS, CallOptions, Operation, Tries, Wire, wire_of

T = TypeVar("T")
OnReceipt = Callable[[Receipt, str], None]


class _Base:
    def __init__(
        self,
        key: str | None = None,
        url: str | None = None,
        *,
        options: CallOptions | None = None,
        on_receipt: OnReceipt | None = None,
    ) -> None:
        key = key or os.environ.get("FINMETER_API_KEY")
        if not key:
            raise ValueError("An API key is required: Finmeter(key), or the environment variable FINMETER_API_KEY.")
        self._url = (url or os.environ.get("FINMETER_URL") or "http://localhost:3000").rstrip("/")
        self._headers = {"authorization": f"Bearer {key}"}
        self._defaults = (options or CallOptions()).over(DEFAULTS)
        self._on_receipt = on_receipt

    def _options(self, given: CallOptions | None) -> CallOptions:
        return given.over(self._defaults) if given else self._defaults

    def _request(self, http: Any, wire: Wire, tries: Tries, options: CallOptions) -> httpx.Request:
        request: httpx.Request = http.build_request(
            wire.method,
            self._url + wire.path,
            params=wire.params,
            content=wire.content,
            headers={**self._headers, **tries.headers},
            timeout=options.timeout,
        )
        return request

    def _seen(self, operation: Operation, receipt: Receipt) -> None:
        if self._on_receipt:
            self._on_receipt(receipt, operation.name)


def _failure_of(error: Exception) -> FinmeterError:
    return error if isinstance(error, FinmeterError) else lost(error)


def _answer(body: Any, headers: Any) -> Answer[Any]:
    return Answer(data_of(body), read_receipt(headers))


def _csv_of(pieces: list[bytes], response: httpx.Response) -> Csv:
    return Csv(b"".join(pieces), response.headers.get("x-next-cursor"), read_receipt(response.headers))


_FAILURES = (FinmeterError, httpx.RequestError, ValueError)


class Client(_Base):
    """Sends calls. Usable from several threads. Close it, or use it in a ``with`` block."""

    def __init__(
        self,
        key: str | None = None,
        url: str | None = None,
        *,
        options: CallOptions | None = None,
        on_receipt: OnReceipt | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        super().__init__(key, url, options=options, on_receipt=on_receipt)
        self._http = http or httpx.Client()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _table(
        self, operation: Operation, given: Input, options: CallOptions | None, pages: bool = False
    ) -> TableCall[Any]:
        return TableCall(self, operation, given, self._options(options), pages)

    def _value(self, operation: Operation, given: Input, options: CallOptions | None) -> Answer[Any]:
        return self._send(operation, wire_of(operation, given, {}), self._options(options), _answer)

    def _send(
        self, operation: Operation, wire: Wire, options: CallOptions, read: Callable[[Any, Any], T]
    ) -> T:
        tries = Tries(options, wire)
        while True:
            try:
                response = self._http.send(self._request(self._http, wire, tries, options))
                if not response.is_success:
                    raise read_problem(response)
                result = read(response.json(), response.headers)
            except _FAILURES as error:
                failure = _failure_of(error)
            else:
                self._seen(operation, read_receipt(response.headers))
                return result
            time.sleep(tries.wait_after(failure))

    def _csv(self, operation: Operation, wire: Wire, options: CallOptions, progress: bool) -> Csv:
        tries = Tries(options, wire)
        while True:
            try:
                response = self._http.send(self._request(self._http, wire, tries, options), stream=True)
                try:
                    if not response.is_success:
                        response.read()
                        raise read_problem(response)
                    pieces: list[bytes] = []
                    for piece in response.iter_bytes():
                        pieces.append(piece)
                        if progress:
                            progress_line(operation.name, response.num_bytes_downloaded)
                finally:
                    response.close()
                if progress:
                    progress_line(operation.name, response.num_bytes_downloaded, "\n")
            except _FAILURES as error:
                failure = _failure_of(error)
            else:
                csv = _csv_of(pieces, response)
                self._seen(operation, csv.receipt)
                return csv
            time.sleep(tries.wait_after(failure))

    def _stream(
        self, operation: Operation, wire: Wire, options: CallOptions, state: StreamState
    ) -> Generator[Any, None, None]:
        tries = Tries(options, wire)
        while True:
            try:
                response = self._http.send(self._request(self._http, wire, tries, options), stream=True)
                try:
                    if not response.is_success:
                        response.read()
                        raise read_problem(response)
                    if state._begin(response.headers) and state.receipt:
                        self._seen(operation, state.receipt)
                    for line in response.iter_lines():
                        row = state._row(line)
                        if row is not None:
                            yield row
                    return
                finally:
                    response.close()
            except _FAILURES as error:
                failure = _failure_of(error)
            time.sleep(tries.wait_after(failure))


class AsyncClient(_Base):
    """Sends calls with asyncio. Close it, or use it in an ``async with`` block."""

    def __init__(
        self,
        key: str | None = None,
        url: str | None = None,
        *,
        options: CallOptions | None = None,
        on_receipt: OnReceipt | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(key, url, options=options, on_receipt=on_receipt)
        self._http = http or httpx.AsyncClient()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def _table(
        self, operation: Operation, given: Input, options: CallOptions | None, pages: bool = False
    ) -> AsyncTableCall[Any]:
        return AsyncTableCall(self, operation, given, self._options(options), pages)

    async def _value(self, operation: Operation, given: Input, options: CallOptions | None) -> Answer[Any]:
        return await self._send(operation, wire_of(operation, given, {}), self._options(options), _answer)

    async def _send(
        self, operation: Operation, wire: Wire, options: CallOptions, read: Callable[[Any, Any], T]
    ) -> T:
        tries = Tries(options, wire)
        while True:
            try:
                response = await self._http.send(self._request(self._http, wire, tries, options))
                if not response.is_success:
                    raise read_problem(response)
                result = read(response.json(), response.headers)
            except _FAILURES as error:
                failure = _failure_of(error)
            else:
                self._seen(operation, read_receipt(response.headers))
                return result
            await asyncio.sleep(tries.wait_after(failure))

    async def _csv(self, operation: Operation, wire: Wire, options: CallOptions, progress: bool) -> Csv:
        tries = Tries(options, wire)
        while True:
            try:
                response = await self._http.send(self._request(self._http, wire, tries, options), stream=True)
                try:
                    if not response.is_success:
                        await response.aread()
                        raise read_problem(response)
                    pieces: list[bytes] = []
                    async for piece in response.aiter_bytes():
                        pieces.append(piece)
                        if progress:
                            progress_line(operation.name, response.num_bytes_downloaded)
                finally:
                    await response.aclose()
                if progress:
                    progress_line(operation.name, response.num_bytes_downloaded, "\n")
            except _FAILURES as error:
                failure = _failure_of(error)
            else:
                csv = _csv_of(pieces, response)
                self._seen(operation, csv.receipt)
                return csv
            await asyncio.sleep(tries.wait_after(failure))

    async def _stream(
        self, operation: Operation, wire: Wire, options: CallOptions, state: StreamState
    ) -> AsyncIterator[Any]:
        tries = Tries(options, wire)
        while True:
            try:
                response = await self._http.send(self._request(self._http, wire, tries, options), stream=True)
                try:
                    if not response.is_success:
                        await response.aread()
                        raise read_problem(response)
                    if state._begin(response.headers) and state.receipt:
                        self._seen(operation, state.receipt)
                    async for line in response.aiter_lines():
                        row = state._row(line)
                        if row is not None:
                            yield row
                    return
                finally:
                    await response.aclose()
            except _FAILURES as error:
                failure = _failure_of(error)
            await asyncio.sleep(tries.wait_after(failure))
