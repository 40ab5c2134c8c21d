import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecrets } from '../../secrets/secrets.ts'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { makeLoadTestAccount } from '../operator/make-load-test-account.ts'
import { addVersion } from './add-version.ts'
import { prepareVersion } from './prepare-version.ts'
import { parseManifest } from './read-manifest.ts'
import { rollBack } from './rollback.ts'
import { type Loopback, startLoopback } from './testing/loopback.ts'
import { whenServed } from './testing/when-served.ts'

const get = (operationId: string, type: string) => ({
  get: { operationId, responses: { 200: { description: 'ok', content: { [type]: {} } } } },
})
const description = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme', version: '1' },
  paths: { '/ticks': get('ticks', 'text/event-stream'), '/quick': get('quick', 'application/json') },
})

let server: TestServer
let upstream: Loopback
/** Streams that have sent one event and wait. */
const streams: ServerResponse[] = []

beforeAll(async () => {
  upstream = await startLoopback((request, response) => {
    if (request.url === '/quick') response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      streams.push(response)
    }
  })
  server = await startTestServer()
  await change(() => publish(2))
  await change(() => publish(5))
})
afterAll(async () => {
  upstream?.close()
  await server?.close()
})

async function publish(credits: number): Promise<void> {
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    operations: { ticks: { stream: true, credits: { rows: '', per: 1, credits, most: 40 } }, quick: { credits } },
  })
  await addVersion(server.db.kysely, await prepareVersion(manifest, description, {}, server.deps.tools), false)
}

const change = (act: () => Promise<unknown>) => whenServed(server, act)

test('streams that run during an undo keep their price to the end; calls after it have the restored one', async () => {
  const { kysely, pool } = server.db
  const { key, accountId } = await makeLoadTestAccount(kysely, createSecrets('ab'.repeat(32)), 100_000)
  const call = (path: string) => fetch(`${server.url}/v1/acme/${path}`, { headers: { authorization: `Bearer ${key}` } })
  const running = await Promise.all(Array.from({ length: 10 }, () => call('ticks')))
  expect(running.map(({ status }) => status)).toEqual(Array(10).fill(200))

  let isUndone = false
  /** What each short call cost, and whether it began after the undo was served. */
  const charged: { credits: number; after: boolean }[] = []
  const load = Array.from({ length: 4 }, async () => {
    for (let left = 20; left > 0; left -= isUndone ? 1 : 0) {
      const after = isUndone
      const answer = await call('quick')
      expect(answer.status).toBe(200)
      charged.push({ credits: Number(answer.headers.get('x-credits-charged')), after })
    }
  })
  await expect.poll(() => charged.length).toBeGreaterThan(20)
  await change(() => rollBack(kysely, 'acme'))
  isUndone = true
  await Promise.all(load)
  expect(new Set(charged.filter(({ after }) => after).map(({ credits }) => credits))).toEqual(new Set([2]))
  expect(new Set(charged.map(({ credits }) => credits))).toEqual(new Set([5, 2]))

  const next = await call('ticks')
  await expect.poll(() => streams.length).toBe(11)
  for (const stream of streams) stream.end('data: 2\n\ndata: 3\n\n')
  for (const answer of [...running, next]) expect(await answer.text()).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n')

  const quick = charged.reduce((sum, { credits }) => sum + credits, 0)
  const spent = async () => {
    const { rows } = await pool.query(
      `select coalesce(sum(from_credits), 0)::int as n from usage_events u join accounts a on a.id = u.account_id where a.public_id = $1`,
      [accountId],
    )
    return rows[0].n
  }
  await expect.poll(spent).toBe(quick + 10 * 3 * 5 + 3 * 2)
  expect(await checkInvariants(server.db)).toEqual([])
})
