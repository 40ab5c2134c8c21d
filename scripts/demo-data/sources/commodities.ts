import type { TableSource } from '../dataset.ts'
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
export const oil: TableSource = {
  id: 'oil-prices',
  name: 'Crude oil spot prices',
  dates: 0,
  manifest: {
    kind: 'series',
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
  },
  header: ['date', 'wti', 'brent'],
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
}

/** Spot price of natural gas, daily. */
export const naturalGas: TableSource = {
  id: 'natural-gas',
  name: 'Natural gas spot price',
  dates: 0,
  manifest: {
    kind: 'series',
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
  },
  header: ['date', 'value'],
  notes: [],
  sources: [{ package: 'naturalGas', path: 'natural-gas-daily.csv', publisher: EIA }],
  read: ([text]) => [...pricesOf(text!)],
}

/** Price of gold by month since 1833. */
export const gold: TableSource = {
  id: 'gold-prices',
  name: 'Gold price by month since 1833',
  dates: 0,
  manifest: {
    kind: 'series',
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
  },
  header: ['date', 'value'],
  notes: [{ text: 'Until 1959 the source repeats one price for all months of a year.', before: '1960-01-01' }],
  sources: [{ package: 'gold', path: 'gold-monthly.csv', publisher: 'World Bank; Timothy Green' }],
  read: ([text]) => [...pricesOf(text!)],
}
