import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../server/db/embedded.ts'
import { start, stopAll } from './child.ts'
import { type Finmeter, startFinmeter } from './finmeter.ts'
import { createLoad } from './load.ts'
import { startNginx } from './nginx.ts'
import { processorMicros } from './profile.ts'
import { recordRest } from './record.ts'
import { barsPath, quotePath, restRequests } from './requests.ts'
import { median } from './results.ts'

const SECONDS = 3

export interface TreesOptions {
  /** The root of another checkout of Finmeter, with its packages. */
  against: string
  rounds: number
  connections: number
  accounts: number
  /** A year of bars, not a quote. */
  bars: boolean
  /** Through nginx, with a pool of kept connections to each server. */
  nginx: boolean
}

/**
 * The processor time of one call, in this tree and in another, and that of a bare server, in turns of some seconds. Processor time says
 * more than a rate where other work shares the machine. Returns a table in Markdown. Needs Linux.
 */
export async function runTrees(options: TreesOptions, say: (line: string) => void): Promise<string> {
  const pathOf = options.bars ? barsPath : quotePath
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-trees-'))
  const load = await createLoad(options.connections)
  const endings: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true }), load.close]
  try {
    const trees: (Finmeter & { requests: string[] })[] = []
    for (const tree of [resolve(options.against), resolve(import.meta.dirname, '..')]) {
      const finmeter = await startFinmeter([], undefined, undefined, tree)
      endings.push(finmeter.stop)
      const { db, secrets } = finmeter.connection
      // Each tree's own: their tables may differ.
      const { makeAccounts } = (await import(join(tree, 'bench/accounts.ts'))) as typeof import('./accounts.ts')
      const requests = restRequests(await makeAccounts(db, secrets, options.accounts), pathOf)
      trees.push({ ...finmeter, requests })
    }
    const [other, own] = trees as [(typeof trees)[0], (typeof trees)[0]]
    const key = /Bearer (\S+)/.exec(own.requests[0]!)![1]!
    const bare = await start('peers/bare.ts', { answers: await recordRest(own.port, key, pathOf) })
    endings.push(stopAll)
    const cases = [
      { name: 'bare node:http', port: bare.port, pid: bare.pid, requests: own.requests, finmeter: undefined },
      { name: 'the other tree', ...other, finmeter: other },
      { name: 'this tree', ...own, finmeter: own },
    ].map((one) => ({ ...one, server: [] as number[], postgres: [] as number[], rate: [] as number[] }))
    if (options.nginx) endings.push(await putNginxBefore(cases, dir))

    for (let round = -1; round < options.rounds; round++)
      for (let at = 0; at < cases.length; at++) {
        const one = cases[(at + Math.max(round, 0)) % cases.length]!
        const pids = one.finmeter ? await backendsOf(one.finmeter) : []
        const before = [one.pid, ...pids].map(processorMicros)
        const slice = await load.run({ port: one.port, requests: one.requests, seconds: SECONDS })
        if (slice.refused + slice.broken > 0)
          throw new Error(`${one.name}: ${slice.refused} refused, ${slice.broken} broken`)
        // The first round warms up.
        if (round < 0) continue
        const after = [one.pid, ...pids].map(processorMicros)
        const [server = 0, ...backends] = after.map(
          (micros, i) => ((micros ?? before[i]!) - before[i]!) / slice.answered,
        )
        one.server.push(server)
        one.postgres.push(backends.reduce((total, micros) => total + micros, 0))
        one.rate.push(slice.perSecond)
        say(
          `round ${round + 1}  ${one.name}: ${one.server.at(-1)!.toFixed(1)} µs, PostgreSQL ${one.postgres.at(-1)!.toFixed(1)} µs`,
        )
      }
    return [
      `${options.rounds} turns of ${SECONDS} s, connections: ${options.connections}, accounts: ${options.accounts}; medians, with the lowest and highest.`,
      '',
      '| | server, µs a call | PostgreSQL, µs a call | calls a second |',
      '| --- | ---: | ---: | ---: |',
      ...cases.map(
        ({ name, server, postgres, rate, finmeter }) =>
          `| ${name} | ${range(server, 1)} | ${finmeter ? range(postgres, 1) : ''} | ${range(rate, 0)} |`,
      ),
    ].join('\n')
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

/** Gives each case a port of nginx. */
async function putNginxBefore(cases: { port: number }[], dir: string): Promise<() => Promise<void>> {
  const sites: string[] = ['access_log off;']
  for (const [at, one] of cases.entries()) {
    const port = await freePort()
    sites.push(`upstream tree${at} { server 127.0.0.1:${one.port}; keepalive 64; }
server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://tree${at}; proxy_http_version 1.1;
proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; } }`)
    one.port = port
  }
  const answers = async () => (await fetch(`http://127.0.0.1:${cases.at(-1)!.port}/healthz`)).ok
  return (await startNginx(dir, sites.join('\n'), answers)).stop
}

/** All processes of the server's PostgreSQL that last. */
export async function backendsOf({ connection }: Pick<Finmeter, 'connection'>): Promise<number[]> {
  const { rows } = await connection.db.pool.query<{ pid: number }>('select pid from pg_stat_activity')
  return rows.map(({ pid }) => pid)
}

/** The median, with the lowest and highest. */
export const range = (values: number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`
