"""Client of the Finmeter Data API: typed calls, safe retries, receipts, data frames."""

from ._answers import Answer, Cell, Csv, Estimate, Page, Receipt, Row
from ._calls import AsyncRowStream, AsyncTableCall, RowStream, TableCall
from ._errors import FinmeterError
from ._operations_gen import AsyncFinmeter, ErrorCode, Finmeter
from ._tries import CallOptions

__all__ = [
    "Answer",
    "AsyncFinmeter",
    "AsyncRowStream",
    "AsyncTableCall",
    "CallOptions",
    "Cell",
    "Csv",
    "ErrorCode",
    "Estimate",
    "Finmeter",
    "FinmeterError",
    "Page",
    "Receipt",
    "Row",
    "RowStream",
    "TableCall",
]
