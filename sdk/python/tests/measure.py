"""One long history into pandas, run by `node scripts/sdk-measure.ts`."""

import io
import sys
import time

import pandas

from finmeter import Finmeter

rows, runs = map(int, sys.argv[1:])


def timed(what, work):
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    seconds.sort()
    print(f"{what}: median {seconds[runs // 2]:.2f} s, best {seconds[0]:.2f} s of {runs}")
    return result


with Finmeter() as finmeter:
    call = finmeter.get_bars("SYN.MINUTES", interval="1m", range="max", limit=rows)
    csv = timed("csv(): bytes from the server", call.csv)
    frame = timed("df(): server to data frame, with dates", call.df)
    timed("pandas.read_csv of the same bytes, dates as text", lambda: pandas.read_csv(io.BytesIO(csv.content)))
    timed(
        "pandas.read_csv of the same bytes, with parse_dates",
        lambda: pandas.read_csv(io.BytesIO(csv.content), parse_dates=["date"]),
    )
    timed("Csv.df() of the same bytes", csv.df)
    print(f"{len(frame):,} rows, {len(csv.content) / 1e6:.1f} MB, {frame.dtypes.astype(str).to_dict()}")
