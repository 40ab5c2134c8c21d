import { cpSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { beforeAll, expect, test, vi } from 'vitest'
import { invoicePdf } from '#sandbox/stripe/pages/invoice-page.ts'
import { CallRecord } from '#server/http/call-record.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import type { openTracer } from '#server/tracing/open-tracer.ts'
import { bundlePrograms } from './bundle.ts'

const dir = temporaryFolder()
const code = join(dir, 'code')
let packages: string[]
beforeAll(async () => {
  const contract = 'sandbox/stripe/fixtures/stripe-openapi-subset.json'
  cpSync(join(import.meta.dirname, '../..', contract), join(dir, contract))
  packages = await bundlePrograms(code, {
    input: {
      invoice: 'sandbox/stripe/pages/invoice-page.ts',
      admin: 'server/cli/admin.ts',
      tracer: 'server/tracing/open-tracer.ts',
    },
  })
})

test('a bundled invoice has the same letters as one from the sources: fonts travel with the code', async () => {
  const bundled = (await import(pathToFileURL(join(code, 'invoice.js')).href)) as { invoicePdf: typeof invoicePdf }
  const invoice = {
    id: 'in_1',
    number: 'A-1',
    created: 1_700_000_000,
    currency: 'usd',
    total: 2900,
    subtotal: 2900,
    amount_paid: 2900,
    amount_remaining: 0,
    status: 'paid',
    status_transitions: { finalized_at: 1_700_000_000 },
    lines: { data: [{ description: 'Pro', amount: 2900, period: { start: 1, end: 2 } }] },
  } as unknown as Parameters<typeof invoicePdf>[0]
  expect((await bundled.invoicePdf(invoice)).equals(await invoicePdf(invoice))).toBe(true)
})

test('messages name the commands of a build, and maps the lines of the sources', () => {
  const text = readFileSync(join(code, 'admin.js'), 'utf8')
  expect(text).toContain('node build/admin.js grant <account> <credits>')
  expect(text).not.toContain('npm run admin')
  const map = JSON.parse(readFileSync(join(code, 'admin.js.map'), 'utf8')) as { sources: string[]; mappings: string }
  expect(map.sources.some((source) => source.endsWith('server/cli/admin.ts'))).toBe(true)
  expect(map.sources.filter((source) => source.includes('node_modules'))).toEqual([])
})

test('packages that run settings of the folder are left out', () => {
  expect(packages).toContain('node_modules/pdfkit/')
  expect(packages.filter((name) => /cosmiconfig|import-fresh|typescript/.test(name))).toEqual([])
})

test('the tracer of a build sends spans, and its packages are in a file of their own', async () => {
  expect(readFileSync(join(code, 'tracer.js'), 'utf8')).not.toContain('BatchSpanProcessor')
  const sent: string[] = []
  const collector = createServer(async (request, response) => {
    sent.push(await text(request))
    response.end('{}')
  })
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done))
  const { port } = collector.address() as AddressInfo
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`)
  const bundled = (await import(pathToFileURL(join(code, 'tracer.js')).href)) as { openTracer: typeof openTracer }
  const sampler = { OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: 1 } as const
  const tracer = await bundled.openTracer(sampler, pino({ level: 'silent' }))
  const span = tracer.start(null, undefined, performance.now())
  span.end(new CallRecord('one'), { method: 'GET', route: '/healthz', status: 200 })
  await tracer.close()
  expect(sent).toEqual([expect.stringContaining('GET /healthz')])
  vi.unstubAllEnvs()
  collector.close()
})
