import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { textOf } from '#sandbox/stripe/pages/testing/pdf-text.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { insertAccount, insertKey } from '../../testing/factories.ts'
import { startTestServer } from '../../testing/harness.ts'
import { runCommand } from '../../testing/run-admin.ts'
import { startSession } from '../../testing/session.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { plansByName, pressCheckout, settleBilling } from '../billing/testing/billing.ts'
import { crawl, found } from './testing/crawl.ts'

// A shop named Northwind Weather, made by the real command beside a running server; needs the built web.
const server = await closeAfterTests(startTestServer())
const folder = temporaryFolder()
const shop = (...words: string[]) =>
  runCommand('shop', words, { NODE_ENV: 'test', DATABASE_URL: server.databaseUrl, KEYS_SECRET: 'ab'.repeat(32) })
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const YAML = `
name: Northwind Weather
promise: Forecasts by the call.
accent: "#a03a00"
logo: logo.png
support: help@northwind.example
sender: mail@northwind.example
key_prefix: nw_
time_zone: Europe/Berlin
powered_by: on
pages: { terms: terms.md, imprint: imprint.md }
`
const before = new Map<string, string | null>()
const pages = ['/', '/docs', '/docs/pricing', '/docs/getting-started', '/legal/privacy', '/login']

beforeAll(async () => {
  for (const page of pages) before.set(page, (await fetch(server.url + page)).headers.get('etag'))
  await writeFile(join(folder, 'logo.png'), PNG)
  await writeFile(join(folder, 'terms.md'), '# Terms\n\nNo <script>alert(1)</script>, [no](javascript:alert(1)).')
  await writeFile(join(folder, 'imprint.md'), '# Imprint\n\nNorthwind Ltd.')
  await writeFile(join(folder, 'shop.yaml'), YAML)
  const { code, out, err } = await shop('apply', join(folder, 'shop.yaml'))
  expect([code, err, out]).toEqual([
    0,
    '',
    'Version 1 is applied: running servers serve it within two seconds.\nmail@northwind.example gets a code. Until npm run shop -- confirm <code>, mails come from the address before.\n',
  ])
  await vi.waitUntil(() => server.deps.shop.current().name === 'Northwind Weather', { timeout: 120_000 })
})

const text = async (path: string, init?: RequestInit): Promise<string> => (await fetch(server.url + path, init)).text()
const json = async <T>(path: string): Promise<T> => JSON.parse(await text(path)) as T
describe('a crawl of Northwind Weather', () => {
  test('finds Finmeter on no page, in no document and in no description', async () => {
    const read = await crawl(server.url)
    expect(read.size).toBeGreaterThan(120)
    const left = [...read].map(([path, words]) => [path, found(words)]).filter(([, words]) => words!.length > 0)
    expect(left).toEqual([])
  })

  test('finds it in no answer of the MCP endpoint, and none of its help page', async () => {
    expect(found(await text('/mcp', { headers: { accept: 'text/html' } }))).toEqual([])
    const key = await insertKey(server.db, await insertAccount(server.db))
    const client = new Client({ name: 'crawl', version: '1' })
    const seen: unknown[] = []
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { 'x-api-key': key.value } },
    })
    await client.connect(transport)
    seen.push(client.getServerVersion(), client.getInstructions(), await client.listTools(), await client.listPrompts())
    seen.push(await client.listResources(), await client.listResourceTemplates())
    await client.close()
    expect(found(JSON.stringify(seen))).toEqual([])
    expect(seen[0]).toMatchObject({ name: 'northwind-weather', title: 'Northwind Weather' })
    expect(seen[1]).toMatch(/^Northwind Weather: Forecasts by the call\. /)
  })
})

test('an invoice is from the shop, on its page and in its PDF', async () => {
  const person = await startSession(server)
  const { Pro } = await plansByName(person)
  const opened = await person.call('POST', '/api/billing/checkout', { body: { priceId: Pro!.priceId, trial: false } })
  const checkout = await fetch(opened.body.data.url)
  await pressCheckout(opened.body.data.url, 'pay')
  await settleBilling(server)
  const [invoice] = (await person.call('GET', '/billing/invoices')).body.data
  const { rows } = await server.db.pool.query(
    "select body->>'hosted_invoice_url' as url from stripe_sandbox.objects where type = 'invoice'",
  )
  const page = await (await fetch(rows[0].url)).text()
  expect(page).toContain('From Northwind Weather')
  const pdf = textOf(Buffer.from(await (await fetch(invoice.invoice_pdf)).arrayBuffer()))
  expect(pdf).toContain('Northwind Weather\nSeller')
  for (const words of [await checkout.text(), page, pdf]) expect(found(words)).toEqual([])
})

describe('what has the name of the shop', () => {
  test('every page has another ETag, its title, colors, icon and card', async () => {
    for (const page of pages) {
      const answer = await fetch(server.url + page)
      expect([page, answer.headers.get('etag')]).not.toEqual([page, before.get(page)])
      const html = await answer.text()
      expect(html).toMatch(/<title>[^<]*Northwind Weather<\/title>/)
      expect(html).toContain('html:root{--accent:light-dark(#a03a00,')
      expect(html).toContain(';--chart-line:light-dark(#a03a00,')
      // Beside refused and failed calls, orange bars would not look like successful ones.
      expect(html).not.toContain('--chart-success:light-dark(#a03a00')
      expect(html).toMatch(/<link rel="icon" href="\/shop\/[0-9a-f]{32}\.png" type="image\/png">/)
      expect(html.replaceAll(/<[^>]+>/g, '')).toMatch(/© \d{4} Northwind Weather ?· Powered by Finmeter/)
    }
    const home = await text('/')
    expect(home).toContain('<h1')
    expect(home).toContain('Forecasts by the call.')
    expect(home).toContain('content="Northwind Weather"')
    expect(home).toMatch(/property="og:image" content="http:\/\/localhost:\d+\/shop\//)
    expect(home).toContain('Powered by Finmeter')
    expect(home).not.toContain('npm run upstream')
  })

  test('pages for operators are neither served nor listed', async () => {
    for (const path of [
      '/sell',
      '/demo',
      '/docs/self-hosting',
      '/docs/own-data',
      '/docs/own-data.md',
      '/docs/command-line',
    ])
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404])
    for (const list of ['/sitemap.xml', '/llms.txt', '/llms-full.txt', '/docs/getting-started', '/docs', '/docs.md'])
      expect(await text(list)).not.toMatch(/\/docs\/(self-hosting|own-data|command-line)|\/(sell|demo)\b/)
    expect(await text('/docs/search.json')).not.toMatch(/"\/docs\/(self-hosting|own-data|command-line)/)
  })

  test('OpenAPI, llms.txt and the entry for the MCP registry', async () => {
    const { info } = await json<{ info: { title: string; description: string } }>('/openapi.json')
    expect(info).toMatchObject({
      title: 'Northwind Weather API',
      description: expect.stringMatching(/^Forecasts by the call\. Every answer says what it cost/),
    })
    expect(await text('/llms.txt')).toMatch(/^# Northwind Weather\n\n> Forecasts by the call\.\n/)
    expect(await json('/server.json')).toMatchObject({
      name: 'localhost/northwind-weather',
      title: 'Northwind Weather',
      description: 'Forecasts by the call.',
    })
  })

  test('legal pages are those of the shop, and HTML in them is text', async () => {
    const terms = await text('/legal/terms')
    expect(terms).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(terms).not.toContain('<script>alert(1)')
    expect(terms).not.toContain('href="javascript:')
    expect(await text('/legal/imprint')).toContain('Northwind Ltd.')
    expect(await text('/')).toContain('href="/legal/imprint"')
  })

  test('a mail, with its sender, logo and support address', async () => {
    const { userId, email } = await startSession(server, { email: 'ada@northwind.example' })
    expect(userId).toBeTruthy()
    await server.deps.mail.send(server.db.kysely, {
      to: email,
      kind: 'test',
      subject: 'Hello',
      heading: 'Hello',
      paragraphs: ['A text.'],
      note: 'A note.',
    })
    const [mail] = await vi.waitUntil(
      () => {
        const all = server.mailbox!.list(email)
        return all.length > 0 && all
      },
      { timeout: 120_000 },
    )
    expect(mail?.from).toBe('Northwind Weather <support@example.com>')
    expect(mail?.text).toContain('--\nNorthwind Weather\n\nA note. Questions? Write to help@northwind.example.')
    const logo = /<img src="([^"]+)"/.exec(mail?.html ?? '')?.[1]
    const picture = await fetch(logo!.replace(/^https?:\/\/[^/]+/, server.url))
    expect(Buffer.from(await picture.arrayBuffer()).equals(PNG)).toBe(true)
    // Mail programs in a browser show pictures on their own pages.
    for (const { headers } of [picture, await fetch(`${server.url}/icon.png`)])
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(found(JSON.stringify([mail?.from, mail?.text, mail?.html]))).toEqual([])
  })

  test('a new sender counts once the code that it received has come back', async () => {
    const [mail] = await vi.waitUntil(
      () => {
        const all = server.mailbox!.list('mail@northwind.example')
        return all.length > 0 && all
      },
      { timeout: 120_000 },
    )
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')![0]
    const wrong = await shop('confirm', '1234567')
    expect([wrong.code, wrong.err]).toEqual([
      1,
      'This is not the code that was mailed to mail@northwind.example last. Apply the shop again for a new one.\n',
    ])
    expect(server.deps.shop.current().sender.address).toBe('support@example.com')
    expect((await shop('show')).out).toContain('Its sender is not confirmed yet')
    expect((await shop('confirm', code)).out).toBe('Mails come from mail@northwind.example now.\n')
    await vi.waitUntil(() => server.deps.shop.current().sender.address === 'mail@northwind.example', {
      timeout: 120_000,
    })
    // Applied again, it needs no second code.
    expect(server.mailbox!.list('mail@northwind.example')).toHaveLength(1)
  })

  test('new keys begin with its prefix, and earlier ones stay valid', async () => {
    const account = await insertAccount(server.db)
    const earlier = await insertKey(server.db, account)
    expect(earlier.value).toMatch(/^fm_/)
    const person = await startSession(server)
    await person.call('POST', '/api/billing/subscribe-free-plan')
    const made = await person.call('POST', '/api/keys', { body: { name: 'New' } })
    expect([made.status, made.body.data.apiKey.unkey]).toEqual([201, expect.stringMatching(/^nw_[0-9A-Za-z]{38}$/)])
    for (const key of [earlier.value, made.body.data.apiKey.unkey as string]) {
      const answer = await fetch(`${server.url}/v1/usage`, { headers: { 'x-api-key': key } })
      expect(answer.status).toBe(200)
    }
    const other = `ab_${earlier.value.slice(3)}`
    expect((await fetch(`${server.url}/v1/usage`, { headers: { 'x-api-key': other } })).status).toBe(401)
    expect(await text('/docs/authentication.md')).toContain('nw_[0-9A-Za-z]{38}')
  })
})

test('export writes what apply reads; show says it; undo takes it back', async () => {
  const out = join(folder, 'exported')
  const exported = await shop('export', out)
  expect([exported.code, exported.err]).toEqual([0, ''])
  expect(exported.out.trimEnd().split('\n')).toEqual(
    ['terms.md', 'imprint.md', 'logo.png', 'shop.yaml'].map((name) => join(out, name)),
  )
  expect((await readFile(join(out, 'logo.png'))).equals(PNG)).toBe(true)
  expect((await shop('export', out)).err).toContain('exists. Choose another folder, or remove it first.')
  const again = await shop('apply', join(out, 'shop.yaml'))
  expect([again.code, again.err]).toEqual([0, ''])
  const { rows } = await server.db.pool.query('select settings from shop_versions order by version')
  expect(rows[1]).toEqual(rows[0])
  expect((await shop('show')).out).toMatch(/^Version 2, applied .*\nname: Northwind Weather\n/)
  expect((await shop('undo')).out).toBe('Version 1 is served again.\n')
  expect((await shop('undo')).out).toBe('This installation is unnamed again.\n')
  expect((await shop('undo')).err).toContain('There is nothing to undo')
  const bad = await shop('apply', join(folder, 'none.yaml'))
  expect([bad.code, bad.err]).toEqual([1, `There is no file ${join(folder, 'none.yaml')}.\n`])
  expect((await shop()).err).toContain('npm run shop -- apply <shop.yaml>')
  await vi.waitUntil(() => server.deps.shop.current().version === 0, { timeout: 120_000 })
  for (const page of pages)
    expect([page, (await fetch(server.url + page)).headers.get('etag')]).toEqual([page, before.get(page)])
})
