"""The dates of a long CSV without a Python string for each: pandas spends half of its time on those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

_TIME = b"2000-01-01T00:00:00Z"
_WIDTHS = {len(_TIME), len(b"2000-01-01")}


def leading_dates(content: bytes) -> tuple[str, pandas.DatetimeIndex | None]:
    """The first column of a CSV, if it is named ``date`` and has dates or times in UTC, all of one width. Else None."""
    import numpy
    import pandas

    head, _, rows = content.partition(b"\n")
    name, _, others = head.rstrip(b"\r").partition(b",")
    width = rows.find(b",")
    # A quoted cell could contain the end of a line.
    if name != b"date" or others == b"" or width not in _WIDTHS or not rows.endswith(b"\n") or b'"' in rows:
        return "", None
    text = numpy.frombuffer(rows, numpy.uint8)
    ends = numpy.flatnonzero(text == ord("\n"))
    starts = numpy.concatenate(([0], ends[:-1] + 1))
    if (ends - starts <= width).any() or (text[starts + width] != ord(",")).any():
        return "", None
    numbers: list[Any] = []
    for at in range(width):
        letters = text[starts + at]
        if not chr(_TIME[at]).isdigit():
            if (letters != _TIME[at]).any():
                return "", None
            continue
        if (letters - ord("0") > 9).any():
            return "", None
        digit = letters.astype(numpy.int32) - ord("0")
        if at > 0 and chr(_TIME[at - 1]).isdigit():
            numbers[-1] = numbers[-1] * 10 + digit
        else:
            numbers.append(digit)
    year, month, day, *time = numbers
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    if (month < 1).any() or (month > 12).any() or (days.astype("datetime64[M]") != months).any():
        return "", None
    seconds = days.astype("datetime64[s]")
    for number, unit in zip(time, (3600, 60, 1)):
        if (number >= (24 if unit == 3600 else 60)).any():
            return "", None
        seconds = seconds + number * unit
    index = pandas.DatetimeIndex(seconds.astype("datetime64[ns]"))
    return "date", index.tz_localize("UTC") if time else index
