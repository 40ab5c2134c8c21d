import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { insertAccount, insertKey } from '../../testing/factories.ts'
import { startTestServer } from '../../testing/harness.ts'
import { applyShop } from '../shop/apply.ts'
import { shopOf } from '../shop/testing/northwind.ts'

// Needs the built web. Without the sandbox, accounts are those of customers.
const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'off' } }))
const trial = await closeAfterTests(startTestServer())

const FOR_INSTALLERS = 'Charged before the response leaves.'
const FOR_BUYERS = 'Financial data, metered per call.'

async function root(at = server, headers: Record<string, string> = {}) {
  const answer = await fetch(`${at.url}/`, { headers })
  const html = await answer.text()
  const settings = (await (await fetch(`${at.url}/config.json`)).json()) as { shop: { installers: boolean } }
  return {
    status: answer.status,
    etag: answer.headers.get('etag')!,
    installers: [html.includes(FOR_INSTALLERS), settings.shop.installers],
    buyers: html.includes(FOR_BUYERS),
    description: /<meta name="description" content="([^"]*)"/.exec(html)?.[1],
  }
}
const statuses = (...paths: string[]) => Promise.all(paths.map(async (path) => (await fetch(server.url + path)).status))

test('without customers the root is for those who install; the first key makes it the shop, and its loss undoes that', async () => {
  const before = await root()
  expect(before).toMatchObject({ status: 200, installers: [true, true], buyers: false })
  expect(before.description).toMatch(/^Open source: sell an API per call/)
  expect((await root(server, { 'if-none-match': before.etag })).status).toBe(304)

  const key = await insertKey(server.db, await insertAccount(server.db))
  // No page asks the database.
  expect((await root()).installers).toEqual([true, true])
  await server.deps.shop.look()
  const after = await root(server, { 'if-none-match': before.etag })
  expect(after).toMatchObject({ status: 200, installers: [false, false], buyers: true })
  expect(after.description).toMatch(/^Metered access to financial data/)
  expect(await statuses('/sell', '/demo')).toEqual([200, 200])

  await server.db.pool.query('update api_keys set deleted_at = now(), ciphertext = null where id = $1', [key.id])
  await server.deps.shop.look()
  expect((await root()).etag).toBe(before.etag)
})

test('an account of a simulated sign-in is no customer', async () => {
  await insertKey(trial.db, await insertAccount(trial.db))
  await trial.deps.shop.look()
  expect(await root(trial)).toMatchObject({ installers: [true, true], buyers: false })
})

test('a named shop has its own home, with or without customers, and none of the pages about the software', async () => {
  await applyShop(server.db.kysely, shopOf('North'))
  await server.deps.shop.look()
  expect(await root()).toMatchObject({ status: 200, installers: [false, false], buyers: false })
  await insertKey(server.db, await insertAccount(server.db))
  await server.deps.shop.look()
  expect(await root()).toMatchObject({ installers: [false, false], buyers: false })
  expect(await statuses('/sell', '/demo')).toEqual([404, 404])
})
