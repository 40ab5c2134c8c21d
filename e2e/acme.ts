import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Loopback, startLoopback } from '#server/features/upstreams/testing/loopback.ts'
import { runCommand } from '#server/testing/run-admin.ts'

const json = (schema: object) => ({ description: 'ok', content: { 'application/json': { schema } } })
const text = { type: 'string' }
const number = { type: 'number' }

const description = {
  openapi: '3.0.3',
  info: { title: 'Acme prices', version: '1' },
  paths: {
    '/prices/{symbol}': {
      get: {
        operationId: 'getPrice',
        summary: 'Last price of a symbol',
        parameters: [
          { name: 'symbol', in: 'path', required: true, description: 'A ticker', example: 'ACME', schema: text },
          { name: 'interval', in: 'query', schema: { type: 'string', enum: ['day', 'week', 'month'], default: 'day' } },
        ],
        responses: { 200: json({ type: 'object', properties: { symbol: text, price: number, interval: text } }) },
      },
    },
    '/orders': {
      post: {
        operationId: 'placeOrder',
        summary: 'Place an order for several symbols',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['account', 'lines'],
                properties: {
                  account: {
                    type: 'object',
                    required: ['id'],
                    properties: { id: { type: 'integer', description: 'The number of the account' }, note: text },
                  },
                  lines: {
                    type: 'array',
                    minItems: 1,
                    items: {
                      type: 'object',
                      required: ['symbol', 'count'],
                      properties: { symbol: text, count: { type: 'integer', minimum: 1 } },
                    },
                  },
                  tags: { type: 'array', items: text },
                },
              },
            },
          },
        },
        responses: { 201: json({ type: 'object', properties: { order: { type: 'integer' } } }) },
      },
    },
    '/search': {
      get: {
        operationId: 'search',
        summary: 'Find symbols',
        parameters: [{ name: 'q', in: 'query', required: true, schema: text }],
        responses: { 200: json({ type: 'object', properties: { items: { type: 'array', items: text } } }) },
      },
    },
    '/ticks': {
      get: {
        operationId: 'watch',
        summary: 'Prices as they change',
        responses: { 200: { description: 'ok', content: { 'text/event-stream': { schema: text } } } },
      },
    },
  },
}

const manifest = (base: string) => ({
  id: 'acme',
  kind: 'openapi',
  document: 'acme-openapi.json',
  base,
  private_hosts: ['127.0.0.1'],
  defaults: { credits: 1, publish: 'named' },
  operations: {
    getPrice: { credits: 2 },
    placeOrder: { credits: 3 },
    search: { credits: { rows: '/items', per: 2, credits: 1, most: 10 } },
    watch: { credits: 4, stream: true, stream_ms: 60_000 },
  },
})

/** An operator's API on loopback, sold as acme by the product of this data directory. */
export async function sellAcme(dataDir: string): Promise<{ upstream: Loopback; end: () => Promise<void> }> {
  const upstream = await startLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://acme.test')
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.method === 'POST') return send(201, { order: 7001 })
    if (pathname === '/search') return send(200, { items: ['ACME', 'ACMD', 'ACMX', 'ACMY', 'ACMZ'] })
    if (pathname !== '/ticks')
      return send(200, { symbol: pathname.split('/').at(-1), price: 12.5, interval: searchParams.get('interval') })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const price of [12.25, 12.75]) response.write(`data: {"price":${price}}\n\n`)
    response.end()
  })
  const folder = await mkdtemp(join(tmpdir(), 'finmeter-acme-'))
  const run = async (...words: string[]) => {
    const { code, err } = await runCommand('upstream', words, { FINMETER_DATA_DIR: dataDir })
    if (code !== 0) throw new Error(err)
  }
  await writeFile(join(folder, 'acme-openapi.json'), JSON.stringify(description))
  await writeFile(join(folder, 'acme.yaml'), JSON.stringify(manifest(upstream.url)))
  await run('publish', join(folder, 'acme.yaml'))
  return {
    upstream,
    async end() {
      await run('remove', 'acme')
      upstream.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
