import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invoicePdf } from '#sandbox/stripe/pages/invoice-page.ts'
import { bundlePrograms } from './bundle.ts'

const dir = mkdtempSync(join(tmpdir(), 'finmeter-bundle-'))
const code = join(dir, 'code')
let packages: string[]
beforeAll(async () => {
  const contract = 'sandbox/stripe/fixtures/stripe-openapi-subset.json'
  cpSync(join(import.meta.dirname, '../..', contract), join(dir, contract))
  packages = await bundlePrograms(code, {
    invoice: 'sandbox/stripe/pages/invoice-page.ts',
    admin: 'server/cli/admin.ts',
  })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

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
