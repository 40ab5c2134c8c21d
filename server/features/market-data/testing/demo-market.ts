import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { CodeTool, Table } from '../../tools/define-tool.ts'
import { registerTool } from '../../tools/register-tool.ts'
import type { ToolRegistry, ToolSnapshot } from '../../tools/registry.ts'
import { DataLease, withData } from '../../tools/rows/not-in-memory.ts'
import { loadMarketData, type MarketData } from '../market-data.ts'
import { marketDataTools } from '../tools.ts'

export const demoDirectory = join(import.meta.dirname, '../../../../data/demo')

/** The demo data, as a server loads it. */
export const loadDemoMarket = (): Promise<MarketData> => loadMarketData({ dir: demoDirectory, demoPrices: true })

/** What is served where these tools are. */
export function serving(tools: readonly CodeTool[]): { current: () => Pick<ToolSnapshot, 'all' | 'get'> } {
  const all = tools.map((tool, id) => registerTool(tool, id))
  return { current: () => ({ all, get: (name) => all.find(({ tool }) => tool.name === name) }) }
}

/** Runs a market-data tool on `input` without metering. Throws zod's error for an invalid input. */
export async function runMarketTool(market: MarketData, name: string, input: unknown): Promise<Table> {
  const tool = marketDataTools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`No tool ${name}`)
  const caller = { accountId: 0, bucket: 0, keyId: null, rateLimitPerMinute: null }
  const deps = { config: {} as Config, db: {} as Database, tools: {} as ToolRegistry }
  const context = {
    deps,
    caller,
    market,
    streams: false,
    traceparent: null,
    idempotencyKey: undefined,
    client: {},
    requestId: '',
    signal: new AbortController().signal,
  }
  const lease = new DataLease()
  const parsed = tool.input.parse(input)
  try {
    return tool.output.parse(await withData(() => tool.run(parsed, context), lease)) as Table
  } finally {
    lease.release()
  }
}

/** Lines of a fixture without its header, each split into cells. */
export function fixture(name: string): string[][] {
  const text = gunzipSync(readFileSync(join(import.meta.dirname, '../fixtures', name))).toString('utf8')
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
}
