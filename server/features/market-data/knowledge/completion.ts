import { ranges } from '../bars/bar-window.ts'
import type { MarketData } from '../market-data.ts'

const MAX_VALUES = 100

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/** Values that match what was typed by prefix or meaning, at most 100. */
export function complete(
  market: MarketData,
  reference: Reference,
  { name, value }: { name: string; value: string },
): { values: string[]; total: number; hasMore: boolean } {
  const found = candidates(market, reference, name, value.slice(0, 200))
  return { values: found.slice(0, MAX_VALUES), total: found.length, hasMore: found.length > MAX_VALUES }
}

function candidates(market: MarketData, reference: Reference, name: string, value: string): string[] {
  const beginning = (list: readonly string[]) => list.filter((one) => one.startsWith(value.trim().toLowerCase()))
  if (reference.type === 'ref/resource')
    return name === 'id' && /^(dataset|schema):\/\/\{id\}$/.test(reference.uri)
      ? beginning(market.manifests.map(({ id }) => id))
      : []
  if (market.manifests.length === 0) return []
  if (name === 'range') return beginning(ranges)
  const symbols = (query: string) => market.catalog.search(query).map(({ instrument }) => instrument.manifest.symbol)
  if (name === 'symbol') return symbols(value)
  if (name !== 'symbols') return []
  // Completes the last entry of a list and keeps the entries before it.
  const parts = value.split(',')
  const kept = parts.slice(0, -1).map((part) => part.trim())
  return symbols(parts.at(-1)!.trim())
    .filter((symbol) => !kept.includes(symbol))
    .map((symbol) => [...kept, symbol].join(','))
}
