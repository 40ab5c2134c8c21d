/** Made-up bars for load tests: the same on every run, and named SYN.* so that nobody mistakes them for real data. */
export const DAYS = 8_111
export const SYMBOLS = 100

export interface SyntheticBar {
  symbol: string
  /** Days since 1970. */
  day: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

/** Park and Miller's generator: a whole number from 1 to 2^31 - 2. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const cents = (value: number): number => Math.round(value * 100) / 100

/** `count` daily bars of one symbol, with consistent open, high, low and close. */
export function* syntheticBars(symbol: number, count: number): Generator<SyntheticBar> {
  const random = generator(symbol + 1)
  let close = 20 + 100 * random()
  for (let day = 0; day < count; day++) {
    const open = close * (1 + 0.01 * (random() - 0.5))
    close = Math.max(1, open * (1 + 0.03 * (random() - 0.495)))
    yield {
      symbol: `SYN.${String(symbol).padStart(4, '0')}`,
      day,
      open: cents(open),
      high: cents(Math.max(open, close) * (1 + 0.01 * random())),
      low: cents(Math.min(open, close) * (1 - 0.01 * random())),
      close: cents(close),
      volume: Math.floor(1e6 * random()),
    }
  }
}

export const dayText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

export const csvHeader = 'symbol,date,open,high,low,close,volume\n'
export const csvLine = ({ symbol, day, open, high, low, close, volume }: SyntheticBar): string =>
  `${symbol},${dayText(day)},${open},${high},${low},${close},${volume}\n`
