import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/db/embedded.ts'
import { checkInvariants } from '../server/features/metering/invariants.ts'
import { makeAccounts } from './accounts.ts'
import { start, stopAll } from './child.ts'
import { startFinmeter } from './finmeter.ts'
import { residentMb } from './machine.ts'
import { startNginx } from './nginx.ts'
import { readRecorded } from './proof.ts'
import { mcpHeaders, quotePath, restRequests } from './requests.ts'
import type { Slice } from './wire.ts'

const CALLS_PER_SECOND = 500
const CONNECTIONS = 64
const STREAMS_EVERY_MS = 250
const EXPORT_EVERY_MS = 2_000
const RELOAD_EVERY_MS = 1_000
const ROWS_OF_TABLE = 6
const EXPORT = '/v1/bars/BTC-USD?interval=1m&range=max&limit=1000000&format=csv'
const LISTEN = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': mcpHeaders['mcp-protocol-version'],
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

interface Minute extends Slice {
  residentMb: number
}

/**
 * Steady calls for `minutes` through nginx with TLS as deploy/nginx.conf sets it up, along with exports, event streams and
 * reloads of pages with their files. Compares all responses with all records. Returns Markdown.
 */
export async function runEndurance(minutes: number, say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-endurance-'))
  const finmeter = await startFinmeter()
  const port = await freePort()
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const nginx = await startNginx(dir, site(dir, finmeter.port, port), async () => {
    const { statusCode } = await ask({ agent, port, path: '/healthz' })
    return statusCode === 200
  })
  try {
    const { db, secrets } = finmeter.connection
    const keys = await makeAccounts(db, secrets, 200)
    const [exporter, listener, ...callers] = keys as [string, string, ...string[]]
    const requests = restRequests(callers, quotePath)
    const beside = besides({ agent, port, exporter, listener })
    const seen: Minute[] = []
    for (let minute = 1; minute <= minutes; minute++) {
      const slice = await start<Slice>('generators/steady.ts', {
        port,
        requests,
        perSecond: CALLS_PER_SECOND,
        seconds: 60,
        connections: CONNECTIONS,
        tls: true,
      })
      seen.push({ ...slice, residentMb: residentMb(finmeter.pid) })
      const { answered, refused, broken, p50Ms, p99Ms } = slice
      say(
        `minute ${minute}: ${answered} answered, ${refused} refused, ${broken} broken, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${seen.at(-1)!.residentMb} MB`,
      )
    }
    const others = await beside.end()
    const sum = (read: (minute: Minute) => number) => seen.reduce((total, minute) => total + read(minute), 0)
    const recorded = await readRecorded(db)
    const problems = (await checkInvariants(db)).map(({ invariant, detail }) => `${invariant}: ${detail}`)
    const calls = sum(({ answered, refused }) => answered - refused)
    const lost = {
      rows: calls + others.exports - recorded.rows,
      credits: calls + others.exportCredits - recorded.charged,
      balances: recorded.charged - recorded.spent,
    }
    const number = (value: number) => value.toLocaleString('en-US')
    return [
      '| minutes | calls | p50 | p99, worst minute | memory |',
      '| --- | --- | --- | --- | --- |',
      ...groups(seen, ROWS_OF_TABLE).map(
        ({ from, to, of }) =>
          `| ${from} to ${to} | ${number(of.reduce((total, { answered }) => total + answered, 0))} | ${median(of.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms | ${Math.max(...of.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms | ${of.at(-1)!.residentMb} MB |`,
      ),
      '',
      `${number(calls)} calls and ${number(others.exports)} exports were answered; ${number(sum(({ refused }) => refused))} calls were refused and ${number(sum(({ broken }) => broken))} broke off.`,
      `${number(recorded.rows)} usage rows and ${number(recorded.charged)} credits: ${lost.rows} rows, ${lost.credits} credits and ${lost.balances} credits of the balances differ. Invariants violated: ${problems.length === 0 ? 'none' : problems.join('; ')}.`,
      `Beside them: ${number(others.pages)} pages and files (${others.pageFailures} failed), ${number(others.streams)} event streams (${others.streamFailures} failed), ${others.exportFailures} exports failed.`,
    ].join('\n')
  } finally {
    agent.destroy()
    await stopAll()
    await nginx.stop()
    await finmeter.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

interface Around {
  agent: Agent
  port: number
  exporter: string
  listener: string
}

/** Exports, event streams and page loads, until `end`. */
function besides({ agent, port, exporter, listener }: Around) {
  const counts = {
    exports: 0,
    exportCredits: 0,
    exportFailures: 0,
    pages: 0,
    pageFailures: 0,
    streams: 0,
    streamFailures: 0,
  }
  let running = true
  const { 'mcp-name': _, ...headers } = mcpHeaders
  const listening = every(STREAMS_EVERY_MS, async () => {
    const order = { agent, port, path: '/mcp', method: 'POST', body: LISTEN }
    const answer = await ask({
      ...order,
      headers: { ...headers, 'mcp-method': 'subscriptions/listen', 'x-api-key': listener },
    })
    counts.streams++
    if (!answer.text.includes('"resultType":"complete"')) counts.streamFailures++
  })
  const exporting = every(EXPORT_EVERY_MS, async () => {
    const answer = await ask({ agent, port, path: EXPORT, headers: { 'x-api-key': exporter } })
    if (answer.statusCode !== 200) counts.exportFailures++
    else {
      counts.exports++
      counts.exportCredits += Number(answer.headers['x-credits-charged'])
    }
  })
  const reloading = every(RELOAD_EVERY_MS, async () => {
    for (const path of ['/', '/dashboard', '/docs/getting-started']) {
      const page = await ask({ agent, port, path })
      const files = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((found) => found[1]!)
      const answers = await Promise.all(files.map((file) => ask({ agent, port, path: file })))
      for (const { statusCode } of [page, ...answers]) {
        counts.pages++
        if (statusCode !== 200) counts.pageFailures++
      }
    }
  })
  async function every(ms: number, act: () => Promise<void>): Promise<void> {
    while (running) {
      const startedAt = performance.now()
      await act()
      await sleep(Math.max(0, startedAt + ms - performance.now()))
    }
  }
  return {
    async end() {
      running = false
      await Promise.all([listening, exporting, reloading])
      return counts
    },
  }
}

type Answer = Pick<IncomingMessage, 'statusCode' | 'headers'> & { text: string }

function ask({ body, ...options }: RequestOptions & { body?: string }): Promise<Answer> {
  return new Promise((done, failed) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      const isRead = /^text\/(html|event-stream)/.test(String(answer.headers['content-type']))
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        if (isRead) text += chunk.toString()
      })
      answer.once('end', () => done({ statusCode: answer.statusCode, headers: answer.headers, text }))
      answer.once('error', failed)
    })
    sent.once('error', failed)
    sent.end(body)
  })
}

/** deploy/nginx.conf with its own certificate, ports and files, and long-lived connections, because the generator never reconnects. */
function site(dir: string, server: number, port: number): string {
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const subject = ['-subj', '/CN=api.example.com', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject], {
    stdio: 'ignore',
  })
  return readFileSync(join(import.meta.dirname, '../deploy/nginx.conf'), 'utf8')
    .replaceAll('/var/log/nginx/finmeter', `${dir}/access`)
    .replace('/etc/letsencrypt/live/api.example.com/fullchain.pem', cert)
    .replace('/etc/letsencrypt/live/api.example.com/privkey.pem', key)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${server}`)
    .replace(/server \{\s+listen 80;.*?\n\}\n/s, '')
    .replace('listen 443', `keepalive_requests 10000000; listen 127.0.0.1:${port}`)
}

function groups(minutes: Minute[], most: number): { from: number; to: number; of: Minute[] }[] {
  const size = Math.ceil(minutes.length / most)
  return Array.from({ length: Math.ceil(minutes.length / size) }, (_, at) => {
    const of = minutes.slice(at * size, (at + 1) * size)
    return { from: at * size + 1, to: at * size + of.length, of }
  })
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
