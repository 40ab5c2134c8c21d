import asyncio
import inspect
import json
import os
import re

import httpx
import pytest

from finmeter import AsyncFinmeter, CallOptions, Finmeter, FinmeterError
from finmeter import _tries as tries

FAULTS = ["refuse", "lose", "cut", "busy", "limit", "gateway", "twice"]


def examples():
    return json.loads(os.environ["FINMETER_EXAMPLES"])


def call_of(client, name, given):
    method = getattr(client, name)
    names = inspect.signature(method).parameters
    return method(**{key if key in names else key + "_": value for key, value in given.items()})


@pytest.mark.parametrize("name", [name for name, _ in examples()])
def test_every_operation(finmeter, name):
    given = dict(examples())[name]
    result = call_of(finmeter, name, given)
    receipt = result.page().receipt if hasattr(result, "page") else result.receipt
    assert receipt.id
    assert receipt.credits_remaining > 0


def test_no_operation_is_missing(finmeter):
    own = [name for name, value in vars(Finmeter).items() if callable(value)]
    assert sorted(own) == sorted(name for name, _ in examples())


def test_async_operations():
    async def run():
        async with AsyncFinmeter() as client:
            for name, given in examples():
                result = call_of(client, name, given)
                assert (await result).receipt.id
            rows = [row async for row in client.get_bars("VIX", range="3mo", limit=1000)]
            streamed = [row async for row in client.get_bars("VIX", range="3mo").stream()]
            assert rows == streamed and len(rows) > 50
            assert (await client.get_bars("VIX", limit=1500, range="max").dry_run()).credits == 2

    asyncio.run(run())


def test_page(finmeter):
    page = finmeter.get_bars("VIX", range="1mo", limit=5).page()
    assert [len(page), page.columns[0], page.meta["symbol"]] == [5, "date", "VIX"]
    assert page.rows[0]["close"] > 0
    assert page.next_cursor and page.receipt.credits_charged == 1


HISTORY = {"symbol": "GE", "range": "max"}
"""13,450 daily bars; without a limit the server returns 1,000, and never more than 10,000 in one JSON answer."""

SENT = [
    # limit, pages, rows, calls, credits
    (5, False, 5, 1, 1),
    (1_000, False, 1_000, 1, 1),
    (1_001, False, 1_001, 1, 2),
    (10_000, False, 10_000, 1, 10),
    (None, False, 1_000, 1, 1),
    (5, True, 5, 1, 1),
    (1_000, True, 1_000, 1, 1),
    (10_000, True, 10_000, 1, 10),
    (12_000, True, 12_000, 2, 12),
    (1_000_000, True, 13_450, 2, 14),
    (None, True, 13_450, 2, 14),
]
REFUSED = [(0, False), (-1, False), (12_000, False), (0, True), (-1, True)]


async def iterated_async(**given):
    receipts = []
    async with AsyncFinmeter(on_receipt=lambda receipt, _: receipts.append(receipt)) as client:
        return len([row async for row in client.get_bars(**HISTORY, **given)]), receipts


def iterated(**given):
    receipts = []
    with Finmeter(on_receipt=lambda receipt, _: receipts.append(receipt)) as client:
        return len(list(client.get_bars(**HISTORY, **given))), receipts


BOTH = [iterated, lambda **given: asyncio.run(iterated_async(**given))]


@pytest.mark.filterwarnings("ignore:get_bars")
@pytest.mark.parametrize("iterate", BOTH, ids=["plain", "asyncio"])
@pytest.mark.parametrize("limit,pages,rows,calls,credits", SENT)
def test_iterating_costs_what_was_asked_for(charged, iterate, limit, pages, rows, calls, credits):
    got, receipts = iterate(limit=limit, pages=pages)
    assert (got, len(receipts)) == (rows, calls)
    assert len({receipt.id for receipt in receipts if receipt.credits_charged > 0}) == calls
    assert sum(receipt.credits_charged for receipt in receipts) == credits == charged()


@pytest.mark.parametrize("iterate", BOTH, ids=["plain", "asyncio"])
@pytest.mark.parametrize("limit,pages", REFUSED)
def test_iterating_with_a_limit_that_cannot_be_is_refused_and_costs_nothing(charged, iterate, limit, pages):
    with pytest.raises(FinmeterError, match="limit") as failed:
        iterate(limit=limit, pages=pages)
    assert (failed.value.code, failed.value.status) == ("invalid_parameter", 400)
    assert charged() == 0


@pytest.mark.parametrize("iterate", BOTH, ids=["plain", "asyncio"])
def test_only_rows_that_nobody_left_out_on_purpose_are_warned_of(iterate):
    with pytest.warns(UserWarning) as warned:
        iterate(limit=5)
        iterate(pages=True)
        iterate()
    more = "get_bars: there are more than these 1,000 rows. Set limit, or pages=True for all of them."
    assert [str(one.message) for one in warned] == [more]
    assert warned[0].filename == __file__


def test_a_limit_on_the_rows_of_each_symbol_ends_paging_too(finmeter, relay):
    rows = list(finmeter.get_bars_batch(["GE", "SPX"], limit=3, pages=True))
    assert [row["symbol"] for row in rows] == ["GE"] * 3 + ["SPX"] * 3
    assert len(relay()) == 1


def test_pages_come_in_order_with_keys_of_their_own(finmeter, relay):
    options = CallOptions(idempotency_key="python")
    dates = [bar["date"] for bar in finmeter.get_bars(**HISTORY, columns=["date"], pages=True, options=options)]
    assert dates == sorted(set(dates))
    assert relay() == ["python", "python.2"]
    assert [len(page) for page in finmeter.get_bars(**HISTORY, limit=10_005).pages()] == [10_000, 5]


def test_broken_stream_continues_for_one_charge(finmeter, relay, charged):
    call = finmeter.get_bars("VIX", range="max", limit=4000)
    rows = call.page().rows
    relay("cut", "refuse", "cut", "lose")
    stream = call.stream()
    assert list(stream) == rows
    assert stream.receipt.id and stream.next_cursor
    assert charged() == 2 * 4


def test_csv_and_dry_run(finmeter, charged):
    csv = finmeter.get_bars("VIX", limit=2).csv()
    assert csv.content.startswith(b"date,open,high,low,close,volume\r\n")
    assert (csv.receipt.credits_charged, bool(csv.next_cursor)) == (1, True)
    estimate = finmeter.get_bars("VIX", limit=1500, range="max").dry_run()
    assert (estimate.rows, estimate.credits) == (1500, 2)
    assert charged() == 1


@pytest.mark.parametrize("fault", FAULTS)
def test_one_charge_and_one_answer_after(finmeter, relay, charged, fault):
    relay(fault)
    page = finmeter.get_bars("VIX", limit=3).page()
    assert len(page) == 3 and page.receipt.id
    assert charged() == 1


def test_bad_parameter_is_not_repeated(finmeter, relay):
    with pytest.raises(FinmeterError) as failed:
        finmeter.get_bars("VIX", range="2mo").page()
    assert (failed.value.code, failed.value.status, failed.value.param) == ("invalid_parameter", 400, "range")
    assert "1mo" in failed.value.allowed
    assert len(relay()) == 1


def test_402_is_not_repeated(relay):
    with Finmeter(os.environ["FINMETER_EMPTY_KEY"]) as poor, pytest.raises(FinmeterError) as failed:
        poor.get_bars("VIX").page()
    assert (failed.value.code, failed.value.status) == ("insufficient_credits", 402)
    assert len(relay()) == 1


def test_429_names_the_time(impatient):
    with Finmeter(os.environ["FINMETER_LIMITED_KEY"], options=impatient) as limited:
        assert limited.get_bars("VIX").page().receipt.calls_left == 0
        with pytest.raises(FinmeterError) as failed:
            limited.get_bars("VIX").page()
    assert failed.value.code == "rate_limited"
    assert failed.value.retry_after > 0


def test_429_is_waited_for_however_often_and_503_is_not():
    wire = tries.Wire("GET", "/", {}, None)
    limited = FinmeterError({"code": "rate_limited", "detail": "", "retry_after": 7}, 429)
    busy = FinmeterError({"code": "metering_unavailable", "detail": ""}, 503)
    one = tries.Tries(CallOptions(retries=2, max_wait=60), wire)
    assert all(7 <= one.wait_after(limited) < 8 for _ in range(6))
    assert 0 < one.wait_after(busy) <= 0.25
    assert 0 < one.wait_after(busy) <= 0.5
    with pytest.raises(FinmeterError) as failed:
        one.wait_after(busy)
    assert failed.value.idempotency_key == one.key
    with pytest.raises(FinmeterError):
        tries.Tries(CallOptions(max_wait=6), wire).wait_after(limited)


def test_503_ends_with_its_code(relay, charged):
    relay(*["busy"] * 3)
    with Finmeter(options=CallOptions(retries=2)) as client, pytest.raises(FinmeterError) as failed:
        client.get_bars("VIX").page()
    assert (failed.value.code, failed.value.status) == ("metering_unavailable", 503)
    assert relay() == [failed.value.idempotency_key] * 3
    assert charged() == 0


def test_a_lost_answer_can_be_repeated_for_no_second_charge(relay, charged):
    relay("lose")
    with Finmeter(options=CallOptions(retries=0)) as client:
        with pytest.raises(FinmeterError) as failed:
            client.get_bars("VIX", limit=3).page()
        assert failed.value.code == "connection_failed"
        again = CallOptions(idempotency_key=failed.value.idempotency_key)
        assert client.get_bars("VIX", limit=3, options=again).page().receipt.credits_charged == 0
    assert charged() == 1


def test_silence_is_a_time_out():
    def silent(request):
        raise httpx.ReadTimeout("silence", request=request)

    http = httpx.Client(transport=httpx.MockTransport(silent))
    with Finmeter("k", http=http, options=CallOptions(retries=0)) as client, pytest.raises(FinmeterError) as failed:
        client.get_status()
    assert (failed.value.code, failed.value.status) == ("timed_out", 0)


def test_waits_for_an_earlier_try_that_is_still_in_progress():
    answers = [
        httpx.Response(409, json={"code": "conflict", "detail": "Still under way."}, headers={"retry-after": "0"}),
        httpx.Response(200, json={"data": {"status": "ok"}}),
    ]
    http = httpx.Client(transport=httpx.MockTransport(lambda _: answers.pop(0)))
    with Finmeter("k", http=http) as client:
        assert client.get_status().data == {"status": "ok"}
    assert answers == []


def test_an_error_of_the_callers_own_function_is_not_repeated(relay):
    def fail(*_):
        raise ValueError("mine")

    with Finmeter(on_receipt=fail) as client, pytest.raises(ValueError, match="mine"):
        client.get_bars("VIX").page()
    assert len(relay()) == 1


def test_what_is_missing_is_named(finmeter):
    with pytest.raises(ValueError, match="get_bars: symbol is required"):
        finmeter.get_bars("").page()
    with pytest.raises(FinmeterError) as failed:
        finmeter.get_bars("A/B?c=1#d").page()
    assert failed.value.code == "unknown_symbol"


def test_notebooks_escape_what_they_show(finmeter):
    html = finmeter.get_bars("VIX", limit=20).page()._repr_html_()
    assert html.count("<tr>") == 11
    assert "20 rows, 1 credit." in html
    page = finmeter.get_bars("VIX", limit=1).page()
    page.rows[0]["date"] = "<script>"
    assert "<script>" not in page._repr_html_()


def test_pandas(finmeter):
    pandas = pytest.importorskip("pandas")
    frame = finmeter.get_bars("VIX", range="max", limit=5000).df()
    assert list(frame.columns) == ["date", "open", "high", "low", "close", "volume"]
    assert [len(frame), str(frame.dtypes["date"]), str(frame.dtypes["close"])] == [5000, "datetime64[ns]", "float64"]
    page = finmeter.get_bars("VIX", limit=50).page().df()
    pandas.testing.assert_frame_equal(page, finmeter.get_bars("VIX", limit=50).df(), check_dtype=False)


def test_pandas_keeps_symbols_that_look_missing():
    pytest.importorskip("pandas")
    from finmeter import Csv, Receipt

    receipt = Receipt(None, 0, None, False, None, None)
    frame = Csv(b"symbol,close\r\nNA,1\r\nnull,\r\n", None, receipt).df()
    assert list(frame["symbol"]) == ["NA", "null"]
    assert frame["close"].isna().tolist() == [False, True]


def test_pandas_reads_dates_as_pandas_would():
    pandas = pytest.importorskip("pandas")
    from finmeter import Csv, Receipt
    from finmeter._dates import leading_dates

    def frame_of(*dates, name="date"):
        lines = [f"{name},close", *(f"{date},{at}" for at, date in enumerate(dates)), ""]
        return Csv("\r\n".join(lines).encode(), None, Receipt(None, 0, None, False, None, None))

    read = [
        ("2020-01-01", "1999-12-31", "2024-02-29", "1970-01-01", "1900-03-01"),
        ("2020-01-01T00:00:00Z", "2024-02-29T23:59:59Z"),
    ]
    left = [
        ("2020-01-01", "2020-01-01T00:00:00Z"),
        ("2020-02-30",),
        ("2020-00-10",),
        ("2020-01-01T24:00:00Z",),
        ("2020-01-01T00:60:00Z",),
        ("2020/01/01",),
        ("20x0-01-01",),
        ("", "2020-01-01"),
        ("2020-01-01", ""),
        ("NA",),
        ('"2020-01"',),
        (),
    ]
    for dates in read:
        csv = frame_of(*dates)
        assert leading_dates(csv.content)[1] is not None
        expected = pandas.DataFrame({"date": pandas.to_datetime(pandas.Series(dates)), "close": range(len(dates))})
        pandas.testing.assert_frame_equal(csv.df(), expected)
    for dates in left:
        csv = frame_of(*dates)
        assert leading_dates(csv.content)[1] is None
        assert list(csv.df()["close"]) == list(range(len(dates)))
    assert leading_dates(frame_of("2020-01-01", name="symbol").content)[1] is None
    assert leading_dates(b"date\r\n2020-01-01\r\n")[1] is None


def test_progress_on_stderr(finmeter, capsys):
    finmeter.get_bars("VIX", limit=10).csv(progress=True)
    assert re.search(r"get_bars: 0\.0 MB\n$", capsys.readouterr().err)
