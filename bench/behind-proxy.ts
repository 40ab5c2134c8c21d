import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../server/db/embedded.ts'
import { makeAccounts } from './accounts.ts'
import { start, stopAll } from './child.ts'
import { startFinmeter } from './finmeter.ts'
import { createLoad } from './load.ts'
import { startNginx } from './nginx.ts'
import { processorMicros } from './profile.ts'
import { recordRest } from './record.ts'
import { quotePath, restRequests } from './requests.ts'
import { median } from './results.ts'
import { range } from './trees.ts'

const CONNECTIONS = 64
const ROUNDS = 5
const SECONDS = 3
/** Calls per page request. */
const CALLS_PER_PAGE = 20
const PAGE = 'GET /docs/getting-started HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n'

/** Server time behind nginx over direct, at most; calls a second over what is expected, at least. */
const TARGETS = { serverTime: 1.1, rate: 0.9 }

interface Case {
  name: string
  port: number
  pid: number
  requests: string[]
}

/** One slice of a case. */
interface Turn {
  perSecond: number
  serverMicros: number
  failed: number
}

/**
 * Calls directly and through nginx, alone and mixed with pages, on one pool of connections to the server and on two; and a bare server
 * with the same answers, directly and through nginx, which says what the proxy itself costs. Returns a table in Markdown. Needs nginx.
 */
export async function runBehindProxy(say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-proxy-'))
  const finmeter = await startFinmeter()
  const load = await createLoad(CONNECTIONS)
  let nginx: Awaited<ReturnType<typeof startNginx>> | undefined
  try {
    const { db, secrets } = finmeter.connection
    const keys = await makeAccounts(db, secrets, 200)
    const calls = restRequests(keys, quotePath)
    const mixed = calls.flatMap((call, at) => (at % CALLS_PER_PAGE === 0 ? [PAGE, call] : [call]))
    const bare = await start('peers/bare.ts', { answers: await recordRest(finmeter.port, keys[0]!, quotePath) })
    const [one, two, before] = [await freePort(), await freePort(), await freePort()]
    const sites = [
      'access_log off;',
      pool('all', finmeter.port),
      pool('calls', finmeter.port),
      pool('pages', finmeter.port),
      pool('bare', bare.port),
      site(one, { '/': 'all' }),
      site(two, { '/': 'pages', '~ ^/(v1/|mcp$)': 'calls' }),
      site(before, { '/': 'bare' }),
    ]
    nginx = await startNginx(dir, sites.join('\n'), async () => {
      const { ok } = await fetch(`http://127.0.0.1:${two}/healthz`)
      return ok
    })
    const { pid } = finmeter
    const cases = {
      bare: { name: 'bare `node:http`, direct', port: bare.port, pid: bare.pid, requests: calls },
      bareBehind: { name: 'bare `node:http`, nginx', port: before, pid: bare.pid, requests: calls },
      direct: { name: 'direct, calls only', port: finmeter.port, pid, requests: calls },
      behind: { name: 'nginx, calls only', port: one, pid, requests: calls },
      mixed: { name: 'nginx, calls and pages on the same connections', port: one, pid, requests: mixed },
      apart: { name: 'nginx, calls and pages on separate connections', port: two, pid, requests: mixed },
    } satisfies Record<string, Case>
    const turns = new Map<Case, Turn[]>(Object.values(cases).map((one) => [one, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (let at = 0; at < turns.size; at++) {
        const [one, seen] = [...turns][(at + round) % turns.size]!
        const startedAt = processorMicros(one.pid) ?? 0
        const { answered, perSecond, refused, broken } = await load.run({ ...one, seconds: SECONDS })
        seen.push({
          perSecond,
          serverMicros: ((processorMicros(one.pid) ?? 0) - startedAt) / answered,
          failed: refused + broken,
        })
        say(`round ${round + 1}  ${one.name}: ${Math.round(perSecond)} a second`)
      }
    const each = (of: Case, from: keyof Turn) => turns.get(of)!.map((turn) => turn[from])
    const ratios = Array.from({ length: ROUNDS }, (_, round) => {
      const [bareRate, bareBehind, direct, behind] = [cases.bare, cases.bareBehind, cases.direct, cases.behind].map(
        (one) => turns.get(one)![round]!,
      ) as [Turn, Turn, Turn, Turn]
      const proxySeconds = 1 / bareBehind.perSecond - 1 / bareRate.perSecond
      return {
        serverTime: behind.serverMicros / direct.serverMicros,
        rate: behind.perSecond * (1 / direct.perSecond + proxySeconds),
      }
    })
    return [
      `${CONNECTIONS} connections, ${ROUNDS} interleaved rounds of ${SECONDS} s; medians, with the lowest and highest.`,
      '',
      '| | requests a second | server time per request, µs | failed |',
      '| --- | ---: | ---: | ---: |',
      ...Object.values(cases).map(
        (one) =>
          `| ${one.name} | ${range(each(one, 'perSecond'), 0)} | ${range(each(one, 'serverMicros'), 1)} | ${each(one, 'failed').reduce((sum, failed) => sum + failed)} |`,
      ),
      '',
      verdict(
        'Server time of a call behind nginx / direct',
        ratios.map(({ serverTime }) => serverTime),
        {
          most: TARGETS.serverTime,
        },
      ),
      verdict(
        "Calls a second behind nginx / what direct's cost and the proxy's own cost allow",
        ratios.map(({ rate }) => rate),
        { least: TARGETS.rate },
      ),
    ].join('\n')
  } finally {
    await nginx?.stop()
    await load.close()
    await stopAll()
    await finmeter.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

const pool = (name: string, port: number) => `upstream ${name} { server 127.0.0.1:${port}; keepalive 64; }`

/** Like deploy/nginx.conf, without TLS. `pools`: by location. */
const site = (port: number, pools: Record<string, string>) =>
  `server { listen 127.0.0.1:${port}; keepalive_requests 100000; ${Object.entries(pools)
    .map(
      ([location, name]) =>
        `location ${location} { proxy_pass http://${name}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; }`,
    )
    .join(' ')} }`

function verdict(what: string, values: number[], { most, least }: { most?: number; least?: number }): string {
  const value = median(values)
  const isMet = (most === undefined || value <= most) && (least === undefined || value >= least)
  return `- ${what}: ${range(values, 2)}, ${isMet ? 'meets' : 'MISSES'} the target of at ${most === undefined ? `least ${least}` : `most ${most}`}`
}
