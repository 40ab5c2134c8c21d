import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../server/db/embedded.ts'
import { makeServiceKey } from '../../server/features/meter-door/make-service-key.ts'
import { makeAccounts } from '../accounts.ts'
import { start, stopAll } from '../child.ts'
import { startFinmeter } from '../finmeter.ts'
import { createLoad, type WrkScript, wrkVersion } from '../load.ts'
import { describeMachine } from '../machine.ts'
import { startNginx } from '../nginx.ts'
import { processorMicros } from '../profile.ts'
import { differences, prove, type Seen } from '../proof.ts'
import { quotePath, restRequests } from '../requests.ts'
import type { Slice } from '../wire.ts'
import { CREDENTIAL, OPERATION, PRICE_PATH, priceBody, UPSTREAM_ID } from './acme.ts'
import { gateways } from './gateways.ts'
import { publishAcme } from './publish-acme.ts'
import { measureStreams } from './streams.ts'
import type { Case, CaseId, Measured, UpstreamOptions, UpstreamResults } from './upstream-results.ts'

const CONNECTIONS = 64
const STEADY_PER_SECOND = 1_000
/** At most, for each case. */
const WARM_UP_SECONDS = 1
const REQUESTS = 4_000
const SYMBOLS = 200

/**
 * An API alone, behind nginx, behind a plain pass-through, behind nginx that asks Finmeter first, and behind Finmeter; pairs of
 * authorize and settle beside metered GETs; the memory of open streams. All in one run, with each answer compared and each charge
 * accounted for. Needs nginx and wrk.
 */
export async function runUpstream(options: UpstreamOptions, say: (line: string) => void): Promise<UpstreamResults> {
  if (wrkVersion() === undefined) throw new Error('--upstream needs wrk.')
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-upstream-'))
  const endings: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
  const credential = { [CREDENTIAL]: 'sk-acme-0123456789' }
  try {
    const finmeter = await startFinmeter([], undefined, async (env) => {
      Object.assign(env, credential)
    })
    endings.push(finmeter.stop, stopAll)
    const { db, secrets } = finmeter.connection
    const keys = await makeAccounts(db, secrets, options.accounts)
    const upstream = await start('upstream/serve-acme.ts', {})
    const node = await start('upstream/pass-through.ts', { upstream: upstream.port, connections: CONNECTIONS })
    const address = { upstream: upstream.port, port: finmeter.port }
    await publishAcme(finmeter.connection, { ...address, key: keys[0]!, env: credential })
    const serviceKey = (await makeServiceKey(db.kysely, [UPSTREAM_ID])).value
    const ports = { plain: await freePort(), door: await freePort() }
    const site = gateways({ upstream: upstream.port, finmeter: finmeter.port, ...ports }, serviceKey)
    const nginx = await startNginx(dir, site, async () => {
      const { ok } = await fetch(`http://127.0.0.1:${ports.plain}${PRICE_PATH}/ACME`)
      return ok
    })
    endings.push(nginx.stop)
    const load = await createLoad(CONNECTIONS)
    endings.push(load.close)
    const machine = await describeMachine(db, load.generator)

    const seen: Seen = { sent: 0, answered: 0, refused: 0, broken: 0 }
    const problems: string[] = []
    say(`${options.streams} open streams ...`)
    const memory = await measureStreams(
      { finmeter: finmeter.port, upstream: upstream.port },
      { pid: finmeter.pid, keys, count: options.streams },
    )
    problems.push(...memory.problems)
    seen.sent += memory.streams
    seen.answered += memory.streams

    const passed = requestsFor(keys, (symbol) => `${PRICE_PATH}/${symbol}`)
    const metered = requestsFor(keys, (symbol) => `/v1/${UPSTREAM_ID}${PRICE_PATH}/${symbol}`)
    const checked = (charged: string): WrkScript => ({ file: 'checked.lua', words: [priceBody, charged] })
    const plain = { charged: null, requests: passed, script: checked('') }
    const charged = { charged: '1', script: checked('1') }
    const product = { port: finmeter.port, pid: finmeter.pid }
    const pairs: WrkScript = { file: 'pairs.lua', words: [serviceKey] }
    const cases: Case[] = [
      { id: 'bare', port: upstream.port, pid: upstream.pid, ...plain },
      { id: 'nginx', port: ports.plain, pid: null, ...plain },
      { id: 'node', port: node.port, pid: node.pid, ...plain },
      { id: 'door', ...charged, port: ports.door, pid: finmeter.pid, requests: passed },
      { id: 'finmeter', ...charged, ...product, requests: metered },
      { id: 'quotes', charged: '1', ...product, requests: restRequests(keys, quotePath) },
      { id: 'pairs', charged: '1', ...product, requests: authorizing(keys, serviceKey), script: pairs },
    ]

    const count = ({ id, charged }: Case, slice: Slice): void => {
      if (charged !== null)
        for (const name of ['sent', 'answered', 'refused', 'broken'] as const) seen[name] += slice[name]
      else
        problems.push(
          ...differences({ ...slice, sent: slice.answered }, nothingLost(slice)).map((text) => `${id}: ${text}`),
        )
    }
    const closed = async (one: Case, seconds: number): Promise<Measured> => {
      const before = processorMicros(one.pid ?? undefined)
      const slice = await load.run({ ...one, seconds })
      const after = processorMicros(one.pid ?? undefined)
      count(one, slice)
      return { slice, micros: before === null || after === null ? null : (after - before) / slice.answered }
    }
    const steady = async (one: Case): Promise<Slice> => {
      const slice = await start<Slice>('generators/steady.ts', {
        port: one.port,
        requests: one.requests,
        perSecond: STEADY_PER_SECOND,
        seconds: options.sliceSeconds,
        connections: CONNECTIONS,
        expected: { body: priceBody, charged: one.charged },
      })
      count(one, slice)
      return slice
    }

    for (const one of cases) await closed(one, Math.min(WARM_UP_SECONDS, options.sliceSeconds))
    const closedSlices = new Map<CaseId, Measured[]>(cases.map(({ id }) => [id, []]))
    const steadySlices = new Map<CaseId, Slice[]>(cases.map(({ id }) => [id, []]))
    for (let round = 0; round < options.rounds; round++)
      for (let at = 0; at < cases.length; at++) {
        const one = cases[(at + round) % cases.length]!
        const measured = await closed(one, options.sliceSeconds)
        closedSlices.get(one.id)!.push(measured)
        const micros = measured.micros === null ? '' : `, ${measured.micros.toFixed(0)} µs`
        say(`round ${round + 1}  ${one.id.padEnd(9)}${Math.round(measured.slice.perSecond)} a second${micros}`)
        if (one.id === 'pairs' || one.id === 'quotes') continue
        const slice = await steady(one)
        steadySlices.get(one.id)!.push(slice)
        say(`round ${round + 1}  ${one.id.padEnd(9)}p50 ${slice.p50Ms.toFixed(2)} ms, p99 ${slice.p99Ms.toFixed(2)} ms`)
      }

    const { recorded, problems: unproven } = await prove(db, seen)
    problems.push(...unproven)
    const { rows } = await db.pool.query<{ open: number }>('select count(*)::int as open from credit_holds')
    if (rows[0]!.open !== 0) problems.push(`${rows[0]!.open} holds are left`)
    if (recorded.rows !== seen.answered) problems.push(`${seen.answered} answers, but ${recorded.rows} usage rows`)
    return {
      machine,
      options,
      memory,
      closed: closedSlices,
      steady: steadySlices,
      answered: seen.answered,
      recorded,
      problems,
      load: loadavg()[0]!,
    }
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

/** GET requests for all keys and a few symbols, as text on the wire. */
const requestsFor = (keys: string[], path: (symbol: string) => string): string[] =>
  Array.from({ length: REQUESTS }, (_, n) => {
    const key = keys[n % keys.length]!
    return `GET ${path(`SYM${(n * 7) % SYMBOLS}`)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`
  })

const authorizing = (keys: string[], serviceKey: string): string[] =>
  keys.map((key) => {
    const body = JSON.stringify({ key, operation: OPERATION })
    return `POST /v1/meter/authorize HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nFinmeter-Service-Key: ${serviceKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })

/** For servers that charge nothing: only their answers are looked at. */
const nothingLost = ({ answered }: Slice) => ({ rows: answered, failedRows: 0, charged: answered, spent: answered })
