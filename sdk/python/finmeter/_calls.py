"""Calls that return rows. Nothing is sent until a method is called."""

from __future__ import annotations

import dataclasses
import json
import secrets
import sys
import warnings
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
    def __init__(self, operation: Operation, given: Input, options: CallOptions, pages: bool) -> None:
        self._operation = operation
        self._given = given
        self._options = options
        self._all_pages = pages

    def _wire(self, format: str, **more: Any) -> Wire:
        return wire_of(self._operation, {**self._given, **more}, {"format": format})

    def _warn_of_more(self, page: Page[R]) -> None:
        if page.next_cursor is None or self._operation.page_rows is None or self._given.get("limit") is not None:
            return
        name, shown = self._operation.name, len(page.rows)
        more = f"{name}: there are more than these {shown:,} rows. Set limit, or pages=True for all of them."
        warnings.warn(more, stacklevel=3)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items() if value is not None)
        return f"<{self._operation.name}({given})>"


class _Paging:
    """What to ask for next, up to ``limit`` rows in all. Each page is a call of its own, with a key derived from the first."""

    def __init__(self, given: Input, options: CallOptions, most: int | None) -> None:
        self._options = options
        self._most = most
        self._left: int | None = given.get("limit")
        self._cursor = given.get("cursor")
        self._key = options.idempotency_key or secrets.token_hex(16)
        self._at = 0
        self.more = True

    def next_options(self) -> CallOptions:
        self._at += 1
        key = self._key if self._at == 1 else f"{self._key}.{self._at}"
        return dataclasses.replace(self._options, idempotency_key=key)

    def next_input(self) -> Input:
        limit = self._left
        if self._most is not None:
            # The largest pages are the fewest calls.
            limit = self._most if limit is None else min(limit, self._most)
        return {"cursor": self._cursor, "limit": limit}

    def saw(self, page: Page[Any]) -> None:
        self._cursor = page.next_cursor
        if self._left is not None:
            self._left -= len(page.rows)
        self.more = self._cursor is not None and (self._left is None or self._left > 0)


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

    def __init__(self, client: Client, operation: Operation, given: Input, options: CallOptions, pages: bool) -> None:
        super().__init__(operation, given, options, pages)
        self._client = client

    def page(self) -> Page[R]:
        """One answer."""
        return self._page(self._options)

    def pages(self) -> Iterator[Page[R]]:
        """Answers one after another, up to ``limit`` rows in all, each requested when the one before has been used."""
        paging = _Paging(self._given, self._options, self._operation.page_rows)
        while paging.more:
            page = self._page(paging.next_options(), **paging.next_input())
            yield page
            paging.saw(page)

    def __iter__(self) -> Iterator[R]:
        """The rows of one answer; with ``pages=True``, those of all pages."""
        if self._all_pages:
            for page in self.pages():
                yield from page.rows
        else:
            page = self.page()
            yield from page.rows
            self._warn_of_more(page)

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

    Nothing is sent until you await it (one answer), iterate over it (its rows), or await a method. Each of these is a call of
    its own.
    """

    def __init__(self, client: AsyncClient, operation: Operation, given: Input, options: CallOptions, pages: bool) -> None:
        super().__init__(operation, given, options, pages)
        self._client = client

    def __await__(self) -> Generator[Any, None, Page[R]]:
        return self.page().__await__()

    async def page(self) -> Page[R]:
        """One answer."""
        return await self._page(self._options)

    async def pages(self) -> AsyncIterator[Page[R]]:
        """Answers one after another, up to ``limit`` rows in all, each requested when the one before has been used."""
        paging = _Paging(self._given, self._options, self._operation.page_rows)
        while paging.more:
            page = await self._page(paging.next_options(), **paging.next_input())
            yield page
            paging.saw(page)

    async def __aiter__(self) -> AsyncIterator[R]:
        """The rows of one answer; with ``pages=True``, those of all pages."""
        if self._all_pages:
            async for page in self.pages():
                for row in page.rows:
                    yield row
        else:
            page = await self.page()
            for row in page.rows:
                yield row
            self._warn_of_more(page)

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
