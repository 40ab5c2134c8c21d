import { csvRowsOf } from '#server/features/market-data/sources/csv.ts'
import type { TableSource } from '../dataset.ts'
import { cikOf } from './ciks.ts'

const mics: Record<string, string> = { NYSE: 'XNYS', NASDAQ: 'XNAS' }
const LISTED_ON = '2022-12-01'
const MEMBERS_ON = '2026-08-08'

/**
 * The members of the S&P 500 of August 2026, symbols listed in New York in December 2022, and every company with
 * statements; with names, sectors and industries where known.
 */
export const companies: TableSource = {
  id: 'us-companies',
  name: 'Companies listed on NYSE and Nasdaq',
  dates: 6,
  manifest: { kind: 'companies' },
  header: ['symbol', 'name', 'mic', 'sector', 'industry', 'cik', 'listed_on'],
  notes: [
    {
      text: 'Members of the S&P 500 are of August 2026, with GICS sectors and industries. The other symbols are of December 2022; their names, sectors and industries are of late 2024 and absent where a symbol had gone.',
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
    { package: 'constituents', path: 'sp500-constituents.csv', publisher: 'Wikipedia, list of S&P 500 companies' },
  ],
  read([list, screener, statements, constituents]) {
    const listed = JSON.parse(list!.slice(list!.indexOf('{'), list!.indexOf('};') + 1)) as Record<string, string[]>
    const details = new Map<string, { name: string; mic: string; sector: string; industry: string }>()
    for (const { cells } of csvRowsOf(screener!)) {
      const mic = mics[cells[15]!]
      if (mic) details.set(cells[0]!, { name: cells[1]!, mic, sector: cells[16]!, industry: cells[17]! })
    }
    const members = new Map(csvRowsOf(constituents!).map(({ cells }) => [cells[0]!, cells]))
    const exchangeOf = new Map(
      Object.entries(listed).flatMap(([name, symbols]) => symbols.map((s) => [s, mics[name]!])),
    )
    const withStatements = [...statements!.matchAll(/^ {2}\[\d+, "([^"]+)"/gm)].map((match) => match[1]!)
    const symbols = [...new Set([...members.keys(), ...exchangeOf.keys(), ...withStatements])].sort()
    // The older list writes BRK/B where the newer one writes BRK.B.
    const isOlderForm = (symbol: string) => symbol.includes('/') && members.has(symbol.replace('/', '.'))
    return symbols
      .filter((symbol) => !isOlderForm(symbol))
      .map((symbol) => {
        const detail = details.get(symbol)
        const mic = exchangeOf.get(symbol) ?? detail?.mic ?? null
        const member = members.get(symbol)
        if (member) {
          const [, name, sector, industry, , , cik] = member
          return [symbol, name!, mic, sector!, industry!, cik!.padStart(10, '0'), MEMBERS_ON]
        }
        return [
          symbol,
          detail?.name ?? null,
          mic,
          detail?.sector || null,
          detail?.industry || null,
          cikOf[symbol] ?? null,
          LISTED_ON,
        ]
      })
  },
}
