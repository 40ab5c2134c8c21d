"""Answers, their receipts, and their form in notebooks and pandas."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, List, Mapping, TypeVar, Union

from ._dates import leading_dates

if TYPE_CHECKING:
    import pandas

Cell = Union[str, float, int, bool, None]
Row = Dict[str, Cell]
R = TypeVar("R")
V = TypeVar("V")

_ROWS_SHOWN = 10


@dataclass(frozen=True)
class Receipt:
    """What a call cost, and what is left."""

    id: str | None
    """Identifies the call in the usage log. None: nothing was recorded (dry runs and the demo key)."""
    credits_charged: int
    credits_remaining: int | None
    """None if ``unlimited``, and if nothing was recorded."""
    unlimited: bool
    calls_left: int | None
    """Calls left in this minute. None: no limit."""
    request_id: str | None


def read_receipt(headers: Mapping[str, str]) -> Receipt:
    remaining = headers.get("x-credits-remaining")
    limit = re.search(r";r=(\d+)", headers.get("ratelimit", ""))
    return Receipt(
        id=headers.get("x-receipt-id"),
        credits_charged=int(headers.get("x-credits-charged", "0")),
        credits_remaining=int(remaining) if remaining and remaining.isdigit() else None,
        unlimited=remaining == "unlimited",
        calls_left=int(limit[1]) if limit else None,
        request_id=headers.get("x-request-id"),
    )


@dataclass(frozen=True)
class Answer(Generic[V]):
    """One answer with an object."""

    data: V
    receipt: Receipt


@dataclass(frozen=True)
class Estimate:
    """What a call would return and cost."""

    rows: int
    bytes: int
    estimated_tokens: int
    credits: int


@dataclass(frozen=True)
class Page(Generic[R]):
    """One answer with rows."""

    rows: List[R]
    columns: List[str]
    meta: Dict[str, Any]
    next_cursor: str | None
    """Send it as ``cursor`` to continue; None: these were the last rows."""
    receipt: Receipt

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows)

    def df(self) -> pandas.DataFrame:
        """These rows in pandas; columns of dates are ``datetime64``."""
        import pandas

        return with_dates(pandas.DataFrame(self.rows, columns=self.columns))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row.values()) + "</tr>"  # type: ignore[attr-defined]
            for row in self.rows[:_ROWS_SHOWN]
        )
        more = " More rows with next_cursor." if self.next_cursor else ""
        charged = self.receipt.credits_charged
        note = f"{len(self.rows):,} rows, {charged:,} {'credit' if charged == 1 else 'credits'}.{more}"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{note}</p>"


@dataclass(frozen=True)
class Csv:
    """One answer as CSV, with a header line."""

    content: bytes
    next_cursor: str | None
    receipt: Receipt

    def df(self) -> pandas.DataFrame:
        """These rows in pandas; columns of dates are ``datetime64``."""
        import pandas

        name, dates = leading_dates(self.content)
        frame = pandas.read_csv(
            io.BytesIO(self.content),
            usecols=None if dates is None else lambda column: column != name,
            # Only an empty cell is missing: NA and NULL are symbols.
            keep_default_na=False,
            na_values=[""],
        )
        if dates is not None:
            frame.insert(0, name, dates)
        return with_dates(frame)


def page_of(body: Any, headers: Mapping[str, str]) -> Page[Any]:
    """Raises ValueError if the body is not an answer with rows."""
    try:
        columns: list[str] = body["data"]["columns"]
        rows = [dict(zip(columns, row)) for row in body["data"]["rows"]]
        return Page(rows, columns, body["meta"], body["next_cursor"], read_receipt(headers))
    except (KeyError, TypeError) as error:
        raise ValueError("not an answer with rows") from error


def data_of(body: Any) -> Any:
    if not isinstance(body, dict) or "data" not in body:
        raise ValueError("not an answer")
    return body["data"]


def with_dates(frame: pandas.DataFrame) -> pandas.DataFrame:
    import pandas

    for name in frame.columns:
        if frame[name].dtype == object and re.fullmatch(r"(.*_)?date|as_of|period_end", name):
            try:
                frame[name] = pandas.to_datetime(frame[name])
            except (ValueError, TypeError):
                pass  # Not dates after all.
    return frame
