import { beforeAll, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { call } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'
const BAD_SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
const base64 = (text: string) => ({ data: Buffer.from(text).toString('base64') })

let owner: TestOperator
beforeAll(async () => {
  owner = await openConsole(server, 'owner')
})

const draft = (settings: object, more: object = {}) => ({ settings, logo: null, logo_dark: null, pages: {}, ...more })
const check = async (settings: object, more: object = {}) =>
  (await owner.call('POST', '/shop/check', draft(settings, more))).body.data
const read = async () => (await owner.call('GET', '/shop')).body.data
const apply = async (settings: object, more: object = {}) =>
  owner.act('/shop', { ...draft(settings, more), version: (await read()).version })

test('a check says what is wrong at each field, and how the color comes out', async () => {
  const { problems } = await check(
    { name: 'A<b>', accent: '#ffee00', support: 'nobody', key_prefix: 'sk_', builtins: ['prices'], colour: 'red' },
    { logo: base64(BAD_SVG) },
  )
  expect(problems).toEqual([
    { field: 'name', problem: 'name: must not have any of < > " \\ `' },
    {
      field: 'accent',
      problem:
        'accent: #ffee00 has a contrast of 1.07 on #f1f3f5, a light surface, where text needs 4.5 (WCAG AA): choose a darker color',
    },
    { field: 'support', problem: 'support: must be an email address such as help@northwind.example' },
    { field: 'key_prefix', problem: 'key_prefix: sk_ begins secrets of another kind: choose another prefix' },
    {
      field: 'colour',
      problem:
        'colour is not a key of shop.yaml. The keys are: name, promise, accent, logo, logo_dark, support, sender, seller, currency, time_zone, key_prefix, builtins, powered_by, pages',
    },
  ])
  const files = await check(
    { name: 'Northwind', builtins: ['nothing'] },
    { logo: base64(BAD_SVG), logo_dark: 'keep', pages: { faq: 'no headings' } },
  )
  expect(files.problems.map(({ field }: { field: string }) => field)).toEqual([
    'logo',
    'logo_dark',
    'pages.faq',
    'builtins',
  ])
  const seller = { name: '', address: ['Hafenstr. 1', 'x'.repeat(101)], tax_id: 'x'.repeat(61), vat: 'DE1' }
  expect((await check({ name: 'N', seller })).problems).toEqual([
    { field: 'seller.name', problem: 'seller.name: must not be empty' },
    { field: 'seller.address', problem: 'seller.address.1: has 101 characters, and may have 100' },
    { field: 'seller.tax_id', problem: 'seller.tax_id: has 61 characters, and may have 60' },
    { field: 'seller.vat', problem: expect.stringContaining('seller.vat is not a key of shop.yaml') },
  ])
  expect((await check({ name: 'N', seller: { name: 'N' } })).problems).toEqual([
    { field: 'seller.address', problem: 'seller.address: must be a list of lines' },
  ])
  const good = await check({ name: 'Northwind', accent: '#A03A00' })
  expect(good).toMatchObject({ problems: [], accent: { light: { text: '#a03a00' }, dark: { text: '#bd754d' } } })
  expect(good.accent.light.contrast).toBeGreaterThanOrEqual(4.5)
  // Also of a color that is refused.
  expect((await check({ name: 'N', accent: '#ffee00' })).accent.light.contrast).toBe(1.07)
  expect((await check({ name: 'N' })).accent).toBeNull()
})

test('settings are applied with a version, kept logos stay, and undo serves what was before', async () => {
  expect(await read()).toMatchObject({ version: 0, applied_at: null, settings: {}, logo: null, versions: [] })
  const applied = await apply(
    { name: 'Northwind Weather', promise: 'Forecasts by the call.', accent: '#a03a00', key_prefix: 'nw_' },
    { logo: base64(SVG), pages: { terms: '# Terms' } },
  )
  expect([applied.status, applied.body.data.sent]).toEqual([200, false])
  const first = applied.body.data.shop
  expect(first).toMatchObject({
    version: 1,
    settings: { name: 'Northwind Weather', key_prefix: 'nw_', powered_by: 'on' },
  })
  expect((await call(server, 'GET', first.logo)).text).toBe(SVG)
  await expect.poll(async () => (await call(server, 'GET', '/llms.txt')).text).toContain('Northwind Weather')

  const second = await apply({ ...first.settings, name: 'Southwind Weather' }, { logo: 'keep', pages: first.pages })
  expect(second.body.data.shop).toMatchObject({
    version: 2,
    logo: first.logo,
    pages: { terms: '# Terms' },
    versions: [
      { version: 2, name: 'Southwind Weather', served: true },
      { version: 1, name: 'Northwind Weather', served: false },
    ],
  })
  const late = await owner.act('/shop', { ...draft({ name: 'Late' }), version: 1 })
  expect([late.status, late.body.error]).toEqual([
    409,
    'Another operator applied version 2 after you opened this page. Reload the page to see it, then make your changes again.',
  ])
  const wrong = await apply({ name: '' })
  expect([wrong.status, wrong.body.error]).toEqual([
    400,
    'name: must not be empty\nname: must have a letter or a digit',
  ])
  const undo = (version: number) => owner.act('/shop/undo', { version })
  expect((await undo(2)).body.data.shop.version).toBe(1)
  const stale = await undo(2)
  expect([stale.status, stale.body.error]).toEqual([
    409,
    'Version 1 was published after you opened this page. Reload the page.',
  ])
  expect((await undo(1)).body.data.shop.version).toBe(0)
  const nothing = await undo(0)
  expect([nothing.status, nothing.body.error]).toEqual([
    409,
    'There is nothing to undo: this installation has no name of its own.',
  ])
  const { rows } = await server.db.pool.query('select action, before, after from operator_log order by id')
  expect(rows).toMatchObject([
    { action: 'shop.applied', before: null, after: { version: 1, name: 'Northwind Weather' } },
    { action: 'shop.applied', before: { version: 1 }, after: { version: 2, name: 'Southwind Weather' } },
    { action: 'shop.undone', before: { version: 2 }, after: { version: 1 } },
    { action: 'shop.undone', before: { version: 1 }, after: { version: 0 } },
  ])
})

test('two operators apply at once: one of them hears of the other', async () => {
  const other = await openConsole(server, 'owner')
  const { version } = await read()
  const both = await Promise.all(
    [owner, other].map((one, index) => one.act('/shop', { ...draft({ name: `Shop ${index}` }), version })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('mails come from a new sender once its code came back', async () => {
  const applied = await apply({ name: 'Northwind', sender: 'data@northwind.example' })
  expect(applied.body.data).toMatchObject({
    sent: true,
    shop: { sender: { waiting: 'data@northwind.example', sends: true } },
  })
  const wrong = await owner.act('/shop/sender', { code: '000000' })
  expect([wrong.status, wrong.body.error]).toEqual([
    400,
    'This is not the code that was mailed to data@northwind.example last. Apply the shop again for a new one.',
  ])
  await expect.poll(() => server.mailbox!.list('data@northwind.example')[0]?.text ?? '').toMatch(/confirm \d{6}/)
  const code = /confirm (\d{6})/.exec(server.mailbox!.list('data@northwind.example')[0]!.text)![1]
  const confirmed = await owner.act('/shop/sender', { code })
  expect(confirmed.body.data.shop.sender).toEqual({ used: 'data@northwind.example', waiting: null, sends: true })
})
