import { seriesTable } from '../dataset.ts'
import { parseTable } from '../rows.ts'

const EIA = 'US Energy Information Administration'
const BARREL = 'US dollars per barrel'

/** Prices of a text with the columns date and price; months are dated by their first day, days without a price are absent. */
const pricesOf = (text: string): Map<string, number> =>
  new Map(
    parseTable(text, ',')
      .filter(({ price }) => price !== '')
      .map(({ date, price }) => [date!.padEnd(10, '-01'), Number(price)]),
  )

/** Spot prices of crude oil, daily. */
export const oil = seriesTable({
  id: 'oil-prices',
  name: 'Crude oil spot prices',
  frequency: 'daily',
  series: [
    {
      id: 'OIL.WTI',
      column: 'wti',
      name: 'Crude oil, West Texas Intermediate, spot price at Cushing, Oklahoma',
      unit: BARREL,
      aliases: ['WTI', 'DCOILWTICO', 'RWTC'],
    },
    {
      id: 'OIL.BRENT',
      column: 'brent',
      name: 'Crude oil, Europe Brent, spot price',
      unit: BARREL,
      aliases: ['BRENT', 'DCOILBRENTEU', 'RBRTE'],
    },
  ],
  notes: [{ text: 'The price of WTI was negative on April 20, 2020.', columns: ['OIL.WTI'], before: '2020-04-21' }],
  sources: [
    { package: 'wti', path: 'wti-daily.csv', publisher: EIA },
    { package: 'brent', path: 'brent-daily.csv', publisher: EIA },
  ],
  read(texts) {
    const [wti, brent] = texts.map(pricesOf)
    const dates = [...new Set([...wti!.keys(), ...brent!.keys()])].sort()
    return dates.map((date) => [date, wti!.get(date) ?? null, brent!.get(date) ?? null])
  },
})

/** Spot price of natural gas, daily. */
export const naturalGas = seriesTable({
  id: 'natural-gas',
  name: 'Natural gas spot price',
  frequency: 'daily',
  series: [
    {
      id: 'GAS.HENRYHUB',
      column: 'value',
      name: 'Natural gas, Henry Hub, spot price',
      unit: 'US dollars per million Btu',
      aliases: ['NATGAS', 'HENRYHUB', 'DHHNGSP'],
    },
  ],
  sources: [{ package: 'naturalGas', path: 'natural-gas-daily.csv', publisher: EIA }],
  read: ([text]) => [...pricesOf(text!)],
})

/** Price of gold by month since 1833. */
export const gold = seriesTable({
  id: 'gold-prices',
  name: 'Gold price by month since 1833',
  frequency: 'monthly',
  series: [
    {
      id: 'GOLD.USD',
      column: 'value',
      name: 'Gold, monthly average',
      unit: 'US dollars per troy ounce',
      aliases: ['GOLD'],
    },
  ],
  notes: [{ text: 'Until 1959 the source repeats one price for all months of a year.', before: '1960-01-01' }],
  sources: [{ package: 'gold', path: 'gold-monthly.csv', publisher: 'World Bank; Timothy Green' }],
  read: ([text]) => [...pricesOf(text!)],
})
