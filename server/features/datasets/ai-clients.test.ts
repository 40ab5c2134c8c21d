import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bls } from '../../../datasets/connectors/bls/connector.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { createBarMemory } from '../market-data/bar-store/bar-memory.ts'
import { marketDataTools } from '../market-data/tools.ts'
import { startToolServer } from '../tools/testing/tool-server.ts'
import { type ConnectorBench, connectorBench } from './connectors/testing/connector-bench.ts'
import { readDatasetFile } from './dataset-file.ts'
import { importDataset } from './import-dataset.ts'
import { type PublishedData, servePublished } from './serve-published.ts'
import { datasetFolder } from './testing/dataset-folder.ts'
import { versionStore } from './version-store.ts'

/** Terms that forbid giving data to AI clients: REST yes, MCP no. */

let bench: ConnectorBench
let published: PublishedData[]
let mcp: Client
const server = await closeAfterTests(startToolServer(marketDataTools))
const account = await server.key({ credits: 1000 })
const folder = datasetFolder()
await folder.file('prices.csv', 'symbol,date,open,high,low,close,volume\nOWN,2024-01-02,9,9,9,9,1\n')
const dataset = await folder.bars({ ai_clients: false })
const { version } = await importDataset(dataset, folder.options)
beforeAll(async () => {
  await versionStore(folder.options.published).publish(dataset.id, version!)
  const { manifest } = bls
  bench = await connectorBench({
    ...bls,
    manifest: { ...manifest, terms: { ...manifest.terms, aiClients: false } },
  })
  await bench.run()
  published = []
  for (const { options } of [folder, bench])
    published.push(
      await servePublished(options.published, server.deps.market, server.deps.log, createBarMemory(2 ** 20)),
    )
  mcp = await connected(account.value)
})
afterAll(async () => {
  for (const one of published ?? []) one.close()
  await mcp?.close()
  await bench?.close()
})

async function connected(key: string): Promise<Client> {
  const client = new Client({ name: 'reader', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  return client
}
const rest = async (path: string, key = account.value) => {
  const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
  return { status: answer.status, body: await answer.json() }
}
const call = async (name: string, args: Record<string, unknown>, client = mcp) => {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
  const [{ text } = { text: '' }] = content as { text: string }[]
  return { isError, text, table: structuredContent as { rows: unknown[][]; meta: { warnings: string[] } } }
}

test.each([
  ['/v1/bars/OWN?range=max', 'get_bars', { symbol: 'OWN', range: 'max' }, 'OWN'],
  ['/v1/series/BLS.CUUR0000SA0', 'get_economic_series', { series_id: 'BLS.CUUR0000SA0' }, 'BLS.CUUR0000SA0'],
])('%s answers; %s refuses with the reason, and charges nothing', async (path, tool, args, name) => {
  expect((await rest(path)).status).toBe(200)
  const { credits } = await server.spending(account.accountId)
  expect(await call(tool, args)).toMatchObject({
    isError: true,
    text: `${name} is not available to AI clients: the terms of its source forbid that. The REST API has it. Nothing was charged.`,
  })
  expect((await server.spending(account.accountId)).credits).toBe(credits)
})

test('no other tool or resource gives it to AI clients', async () => {
  const found = await call('search_symbols', { query: 'OWN' })
  expect(found.table.rows.flat()).not.toContain('OWN')
  const quotes = await call('get_quote', { symbols: ['OWN', 'AAPL'] })
  expect(quotes.table.rows.map(([symbol]) => symbol)).toEqual(['AAPL'])
  const { resources } = await mcp.listResources()
  expect(JSON.stringify(resources)).not.toContain('own-prices')
  const listed = await call('list_datasets', {})
  expect(listed.table.rows.filter(([id]) => id === 'own-prices')[0]?.at(-1)).toBe(false)
  expect(listed.table.meta.warnings).toContain(
    'Only over REST, because their terms forbid AI clients: own-prices, bls-series.',
  )
  expect((await rest('/v1/datasets')).body.meta.warnings).toEqual([])
})

test('an open one is refused to AI clients with the demo key, too', async () => {
  const path = '/v1/series/BLS.CUUR0000SA0'
  expect((await rest(path, 'demo')).status).toBe(200)
  const demo = await connected('demo')
  expect(await call('get_economic_series', { series_id: 'BLS.CUUR0000SA0' }, demo)).toMatchObject({ isError: true })
  await demo.close()
})

test('the example for FRED is one of them', async () => {
  const file = join(import.meta.dirname, '../../../datasets/examples/fred.yaml')
  expect(await readDatasetFile(file)).toMatchObject({ id: 'fred', ai_clients: false })
})
