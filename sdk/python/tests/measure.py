"""One long history into pandas, run by `node scripts/sdk-measure.ts`."""

import io
import sys
import time

import pandas

from finmeter import Finmeter

rows, runs = map(int, sys.argv[1:])


def timed(what, work):
    """Seconds of the clock, and of this process alone: other processes can share the machine."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        worked = time.process_time()
        result = work()
        seconds.append((time.perf_counter() - began, time.process_time() - worked))
    seconds.sort()
    middle, best = seconds[runs // 2], seconds[0]
    print(f"{what}: median {middle[0]:.2f} s, best {best[0]:.2f} s of {runs}; in this process {middle[1]:.2f} s")
    return result, best[0]


def read_csv(content):
    return pandas.read_csv(io.BytesIO(content))


def read_dates(content):
    return pandas.read_csv(io.BytesIO(content), parse_dates=["date"])


with Finmeter() as finmeter:
    call = finmeter.get_bars("SYN.MINUTES", interval="1m", range="max", limit=rows)
    csv, _ = timed("csv(): bytes from the server", call.csv)
    frame, whole = timed("df(): server to data frame, with dates", call.df)
    _, plain = timed("pandas.read_csv of the same bytes, dates as text", lambda: read_csv(csv.content))
    _, dated = timed("pandas.read_csv of the same bytes, with parse_dates", lambda: read_dates(csv.content))
    timed("Csv.df() of the same bytes", csv.df)
    print(f"df() takes {whole / plain:.2f} times pandas.read_csv with dates as text, {whole / dated:.2f} times with parse_dates")
    print(f"{len(frame):,} rows, {len(csv.content) / 1e6:.1f} MB, {frame.dtypes.astype(str).to_dict()}")
