import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../server/db/embedded.ts'
import { makeAccounts } from './accounts.ts'
import { startFinmeter } from './finmeter.ts'
import { createLoad } from './load.ts'
import { startNginx } from './nginx.ts'
import { processorMicros } from './profile.ts'
import { quotePath, restRequests } from './requests.ts'

const CONNECTIONS = 64
const ROUNDS = 3
const SECONDS = 5
/** Calls per page request. */
const CALLS_PER_PAGE = 20
const PAGE = 'GET /docs/getting-started HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n'

interface Case {
  name: string
  port: number
  requests: string[]
}

/**
 * Calls directly and through nginx, alone and mixed with pages, on one pool of connections to the server and on two.
 * Returns a table in Markdown. Needs nginx.
 */
export async function runBehindProxy(say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-proxy-'))
  const finmeter = await startFinmeter()
  const load = await createLoad(CONNECTIONS)
  let nginx: Awaited<ReturnType<typeof startNginx>> | undefined
  try {
    const { db, secrets } = finmeter.connection
    const calls = restRequests(await makeAccounts(db, secrets, 200), quotePath)
    const mixed = calls.flatMap((call, at) => (at % CALLS_PER_PAGE === 0 ? [PAGE, call] : [call]))
    const [one, two] = [await freePort(), await freePort()]
    nginx = await startNginx(dir, sites(finmeter.port, one, two), async () => {
      const { ok } = await fetch(`http://127.0.0.1:${two}/healthz`)
      return ok
    })
    const cases: Case[] = [
      { name: 'direct, calls only', port: finmeter.port, requests: calls },
      { name: 'nginx, calls only', port: one, requests: calls },
      { name: 'nginx, calls and pages on the same connections', port: one, requests: mixed },
      { name: 'nginx, calls and pages on separate connections', port: two, requests: mixed },
    ]
    const seen = new Map(cases.map(({ name }) => [name, { answered: 0, seconds: 0, cpuMicros: 0, failed: 0 }]))
    for (let round = 0; round < ROUNDS; round++)
      for (let at = 0; at < cases.length; at++) {
        const { name, port, requests } = cases[(at + round) % cases.length]!
        const sum = seen.get(name)!
        const before = processorMicros(finmeter.pid) ?? 0
        const slice = await load.run({ port, requests, seconds: SECONDS })
        sum.cpuMicros += (processorMicros(finmeter.pid) ?? 0) - before
        sum.answered += slice.answered
        sum.failed += slice.refused + slice.broken
        sum.seconds += slice.answered / slice.perSecond
        say(`round ${round + 1}  ${name}: ${Math.round(slice.perSecond)} a second`)
      }
    return [
      '| | requests a second | server time per request | failed |',
      '| --- | --- | --- | --- |',
      ...[...seen].map(([name, { answered, seconds, cpuMicros, failed }]) => {
        const micros = Math.round(cpuMicros / answered)
        return `| ${name} | ${Math.round(answered / seconds).toLocaleString('en-US')} | ${micros} µs | ${failed} |`
      }),
    ].join('\n')
  } finally {
    await nginx?.stop()
    await load.close()
    await finmeter.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Like deploy/nginx.conf, without TLS; on the second port, pages have a separate pool. */
function sites(server: number, one: number, two: number): string {
  const upstream = (name: string) => `upstream ${name} { server 127.0.0.1:${server}; keepalive 64; }`
  const pass = (name: string) =>
    `proxy_pass http://${name}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;`
  return `access_log off; ${upstream('all')} ${upstream('calls')} ${upstream('pages')}
server { listen 127.0.0.1:${one}; keepalive_requests 100000; location / { ${pass('all')} } }
server { listen 127.0.0.1:${two}; keepalive_requests 100000; location / { ${pass('pages')} } location ~ ^/(v1/|mcp$) { ${pass('calls')} } }`
}
