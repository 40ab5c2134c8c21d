import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

/** Currencies in use, by the name that the source gives to their country; the others ended with the euro. */
const currencies: Record<string, [code: string, name: string]> = {
  Australia: ['AUD', 'Australian dollars'],
  Brazil: ['BRL', 'Brazilian reais'],
  Canada: ['CAD', 'Canadian dollars'],
  China: ['CNY', 'Chinese yuan'],
  Denmark: ['DKK', 'Danish kroner'],
  Euro: ['EUR', 'euros'],
  'Hong Kong': ['HKD', 'Hong Kong dollars'],
  India: ['INR', 'Indian rupees'],
  Japan: ['JPY', 'Japanese yen'],
  Malaysia: ['MYR', 'Malaysian ringgit'],
  Mexico: ['MXN', 'Mexican pesos'],
  'New Zealand': ['NZD', 'New Zealand dollars'],
  Norway: ['NOK', 'Norwegian kroner'],
  Singapore: ['SGD', 'Singapore dollars'],
  'South Africa': ['ZAR', 'South African rand'],
  'South Korea': ['KRW', 'South Korean won'],
  'Sri Lanka': ['LKR', 'Sri Lankan rupees'],
  Sweden: ['SEK', 'Swedish kronor'],
  Switzerland: ['CHF', 'Swiss francs'],
  Taiwan: ['TWD', 'New Taiwan dollars'],
  Thailand: ['THB', 'Thai baht'],
  'United Kingdom': ['GBP', 'pounds sterling'],
}

/** Units of each currency for one US dollar, monthly averages. */
export const exchangeRates = seriesTable({
  id: 'exchange-rates',
  name: 'Exchange rates of the US dollar by month',
  frequency: 'monthly',
  series: Object.values(currencies).map(([code, name]) => ({
    id: `FX.USD${code}`,
    column: code.toLowerCase(),
    name: `US dollar in ${name}, monthly average`,
    unit: `${code} per USD`,
    aliases: [`USD${code}`, `USD/${code}`],
  })),
  notes: [{ text: 'Monthly averages. For the rate on a date use convert_currency.' }],
  sources: [
    {
      package: 'exchangeRates',
      path: 'fx-monthly.csv',
      publisher: 'Board of Governors of the Federal Reserve System',
    },
  ],
  read([text]) {
    const months = new Map<string, Map<string, number>>()
    for (const { date, country, 'exchange rate': rate } of parseTable(text!, ',')) {
      const code = currencies[country!]?.[0]
      if (!code) continue
      if (!months.has(date!)) months.set(date!, new Map())
      months.get(date!)!.set(code, Number(rate))
    }
    return [...months]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, rates]) => [date, ...Object.values(currencies).map(([code]) => rates.get(code) ?? null)])
  },
})
