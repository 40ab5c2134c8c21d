import { csvRowsOf } from '#server/features/market-data/sources/csv.ts'
import type { TableSource } from '../dataset.ts'
import { cikOf } from './ciks.ts'

const mics: Record<string, string> = { NYSE: 'XNYS', NASDAQ: 'XNAS' }
const LISTED_ON = '2022-12-01'

/** Symbols listed in New York in December 2022 and every company with statements, with names, sectors and industries where known. */
export const companies: TableSource = {
  id: 'us-companies',
  name: 'Companies listed on NYSE and Nasdaq',
  dates: 6,
  manifest: { kind: 'companies' },
  header: ['symbol', 'name', 'mic', 'sector', 'industry', 'cik', 'listed_on'],
  notes: [
    {
      text: 'The list is of December 2022; names, sectors and industries are of late 2024 and absent where a symbol had gone.',
    },
  ],
  sources: [
    { package: 'listings', path: 'index.js', publisher: 'not named' },
    {
      package: 'grid',
      path: 'src/datasets/stock-data.csv',
      publisher: 'a screener; names, sectors and industries only',
    },
    { package: 'grid', path: 'src/nyse-data.ts', publisher: 'not named; symbols only' },
  ],
  read([list, screener, statements]) {
    const listed = JSON.parse(list!.slice(list!.indexOf('{'), list!.indexOf('};') + 1)) as Record<string, string[]>
    const details = new Map<string, { name: string; mic: string; sector: string; industry: string }>()
    for (const { cells } of csvRowsOf(screener!)) {
      const mic = mics[cells[15]!]
      if (mic) details.set(cells[0]!, { name: cells[1]!, mic, sector: cells[16]!, industry: cells[17]! })
    }
    const exchangeOf = new Map(
      Object.entries(listed).flatMap(([name, symbols]) => symbols.map((s) => [s, mics[name]!])),
    )
    const withStatements = [...statements!.matchAll(/^ {2}\[\d+, "([^"]+)"/gm)].map((match) => match[1]!)
    const symbols = [...new Set([...exchangeOf.keys(), ...withStatements])].sort()
    return symbols.map((symbol) => {
      const detail = details.get(symbol)
      return [
        symbol,
        detail?.name ?? null,
        exchangeOf.get(symbol) ?? detail?.mic ?? null,
        detail?.sector || null,
        detail?.industry || null,
        cikOf[symbol] ?? null,
        LISTED_ON,
      ]
    })
  },
}
