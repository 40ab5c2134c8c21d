import type { TableSource } from '../dataset.ts'
import type { PackageName } from '../packages.ts'

const dates = [
  '2024.3.28',
  '2024.6.15',
  '2024.9.6',
  '2024.12.31',
  '2025.4.1',
  '2025.6.30',
  '2025.10.4',
  '2025.12.31',
  '2026.4.5',
  '2026.6.30',
  '2026.9.29',
] as const

/** Currencies in use (ISO 4217), gold, silver, and the most requested coins. */
const wanted = new Set(
  `AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KWD KZT LKR MAD
MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD SAR SEK SGD THB TND TRY TWD UAH UGX UYU VND ZAR XAU XAG BTC ETH`.split(
    /\s+/,
  ),
)

/** Currency and coin rates, about one date per quarter: not a daily history. */
export const rates: TableSource = {
  id: 'fx-points',
  name: 'Currency, metal and coin rates at eleven dates, 2024 to 2026',
  dates: 0,
  manifest: { kind: 'rates', base: 'USD' },
  header: ['date', 'currency', 'rate'],
  notes: [
    {
      text: 'Eleven dates about a quarter apart, not a daily history: the date used can be months before the date asked for.',
    },
  ],
  sources: dates.map((date) => ({
    package: `rates-${date}` satisfies PackageName,
    path: 'v1/currencies/usd.json',
    publisher: 'github.com/fawazahmed0/exchange-api, which does not name its sources',
  })),
  read: (texts) =>
    texts.flatMap((text) => {
      const { date, usd } = JSON.parse(text) as { date: string; usd: Record<string, number> }
      return Object.entries(usd)
        .filter(([currency]) => wanted.has(currency.toUpperCase()))
        .map(([currency, rate]) => [date, currency.toUpperCase(), Number(rate.toPrecision(8))])
    }),
}
