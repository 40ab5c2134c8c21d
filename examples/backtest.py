"""A crossing of two moving averages against holding the stock. Needs the library with pandas (sdk/python/README.md).

Reads FINMETER_URL and FINMETER_API_KEY. An exercise, no advice: fees, taxes and dividends are left out.
"""

import sys

from finmeter import Finmeter

symbol = sys.argv[1] if len(sys.argv) > 1 else "AAPL"
prices = Finmeter().get_bars(symbol, range="5y", limit=10_000).df().set_index("date")["close"]

# Yesterday's averages decide about today: a signal from the same close could not have been traded.
invested = (prices.rolling(20).mean() > prices.rolling(100).mean()).shift(1, fill_value=False)
returns = prices.pct_change().fillna(0)
strategy = (1 + returns.where(invested, 0)).cumprod()
holding = (1 + returns).cumprod()

print(f"{symbol}, {len(prices)} days to {prices.index[-1]:%Y-%m-%d}")
for name, curve in (("crossing", strategy), ("holding", holding)):
    drawdown = (curve / curve.cummax() - 1).min()
    print(f"{name}: {curve.iloc[-1] - 1:+.1%}, worst drawdown {drawdown:.1%}")
