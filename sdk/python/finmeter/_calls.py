"""Calls that return rows. Nothing is sent until a method is called."""

from __future__ import annotations

import dataclasses
import json
import secrets
import sys
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Generator, Generic, Iterator, TypeVar

from ._answers import Csv, Estimate, Page, Receipt, page_of, read_receipt
from ._errors import FinmeterError
from ._tries import CallOptions, Operation, Wire, wire_of

if TYPE_CHECKING:
    import pandas

    from ._client import AsyncClient, Client

R = TypeVar("R")
Input = Dict[str, Any]


class _Call(Generic[R]):
    def __init__(self, operation: Operation, given: Input, options: CallOptions) -> None:
        self._operation = operation
        self._given = given
        self._options = options

    def _wire(self, format: str, **more: Any) -> Wire:
        return wire_of(self._operation, {**self._given, **more}, {"format": format})

    def _page_options(self) -> Iterator[CallOptions]:
        """Each page is a call of its own, with a key derived from that of the first."""
        key = self._options.idempotency_key or secrets.token_hex(16)
        at = 1
        while True:
            yield dataclasses.replace(self._options, idempotency_key=key if at == 1 else f"{key}.{at}")
            at += 1

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items() if value is not None)
        return f"<{self._operation.name}({given})>"


class StreamState:
    """What a stream knows while it is read."""

    def __init__(self) -> None:
        self.receipt: Receipt | None = None
        """None until the first row arrives."""
        self.next_cursor: str | None = None
        """Continues after the last row; None if there are no more rows."""
        self._delivered = 0
        self._skip = 0
        self._etag: str | None = None

    def _begin(self, headers: Any) -> bool:
        """At the start of each try. True: the first."""
        first = self.receipt is None
        if not first and headers.get("etag") != self._etag:
            detail = "The data was updated while it was read. Read it again."
            raise FinmeterError({"code": "data_updated", "detail": detail}, 200)
        self._skip = self._delivered
        self._etag = headers.get("etag")
        self.next_cursor = headers.get("x-next-cursor")
        if first:
            self.receipt = read_receipt(headers)
        return first

    def _row(self, line: str) -> Any:
        """The row in a line, or None if an earlier try delivered it."""
        if self._skip > 0:
            self._skip -= 1
            return None
        row = json.loads(line)
        self._delivered += 1
        return row


class RowStream(StreamState, Generic[R]):
    """Rows as they arrive. Read it once."""

    def __init__(self, rows: Any) -> None:
        super().__init__()
        self._rows: Generator[R, None, None] = rows(self)

    def __iter__(self) -> Iterator[R]:
        return self._rows


class AsyncRowStream(StreamState, Generic[R]):
    """Rows as they arrive. Read it once."""

    def __init__(self, rows: Any) -> None:
        super().__init__()
        self._rows: AsyncIterator[R] = rows(self)

    def __aiter__(self) -> AsyncIterator[R]:
        return self._rows


def progress_line(operation: str, received: int, end: str = "") -> None:
    sys.stderr.write(f"\r{operation}: {received / 1e6:,.1f} MB{end}")
    sys.stderr.flush()


class TableCall(_Call[R]):
    """A call that returns rows.

    Nothing is sent until you call a method or iterate over it. Each of these is a call of its own.
    """

    def __init__(self, client: Client, operation: Operation, given: Input, options: CallOptions) -> None:
        super().__init__(operation, given, options)
        self._client = client

    def page(self) -> Page[R]:
        """One answer."""
        return self._page(self._options)

    def pages(self) -> Iterator[Page[R]]:
        """Answers one after another, each requested when the one before has been used."""
        cursor = self._given.get("cursor")
        for options in self._page_options():
            page = self._page(options, cursor=cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def __iter__(self) -> Iterator[R]:
        """All rows, page after page."""
        for page in self.pages():
            yield from page.rows

    def stream(self) -> RowStream[R]:
        """The rows of one answer as they arrive, for long histories. It continues if the connection breaks off."""
        return RowStream(lambda state: self._client._stream(self._operation, self._wire("ndjson"), self._options, state))

    def csv(self, progress: bool = False) -> Csv:
        """One answer as CSV. ``progress``: shows on stderr how much has arrived."""
        return self._client._csv(self._operation, self._wire("csv"), self._options, progress)

    def df(self, progress: bool = False) -> pandas.DataFrame:
        """The rows of one answer in pandas. For long histories, ``limit`` can be 1,000,000 where the operation allows."""
        return self.csv(progress).df()

    def dry_run(self) -> Estimate:
        """What this call would return and cost. Free."""
        return Estimate(**self._page(self._options, dry_run=True).rows[0])  # type: ignore[arg-type]

    def _page(self, options: CallOptions, **more: Any) -> Page[R]:
        return self._client._send(self._operation, self._wire("columns", **more), options, page_of)


class AsyncTableCall(_Call[R]):
    """A call that returns rows.

    Nothing is sent until you await it (one answer), iterate over it (all rows), or await a method. Each of these is a call of
    its own.
    """

    def __init__(self, client: AsyncClient, operation: Operation, given: Input, options: CallOptions) -> None:
        super().__init__(operation, given, options)
        self._client = client

    def __await__(self) -> Generator[Any, None, Page[R]]:
        return self.page().__await__()

    async def page(self) -> Page[R]:
        """One answer."""
        return await self._page(self._options)

    async def pages(self) -> AsyncIterator[Page[R]]:
        """Answers one after another, each requested when the one before has been used."""
        cursor = self._given.get("cursor")
        for options in self._page_options():
            page = await self._page(options, cursor=cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[R]:
        """All rows, page after page."""
        async for page in self.pages():
            for row in page.rows:
                yield row

    def stream(self) -> AsyncRowStream[R]:
        """The rows of one answer as they arrive, for long histories. It continues if the connection breaks off."""
        return AsyncRowStream(
            lambda state: self._client._stream(self._operation, self._wire("ndjson"), self._options, state)
        )

    async def csv(self, progress: bool = False) -> Csv:
        """One answer as CSV. ``progress``: shows on stderr how much has arrived."""
        return await self._client._csv(self._operation, self._wire("csv"), self._options, progress)

    async def df(self, progress: bool = False) -> pandas.DataFrame:
        """The rows of one answer in pandas. For long histories, ``limit`` can be 1,000,000 where the operation allows."""
        return (await self.csv(progress)).df()

    async def dry_run(self) -> Estimate:
        """What this call would return and cost. Free."""
        return Estimate(**(await self._page(self._options, dry_run=True)).rows[0])  # type: ignore[arg-type]

    async def _page(self, options: CallOptions, **more: Any) -> Page[R]:
        return await self._client._send(self._operation, self._wire("columns", **more), options, page_of)
