import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../db/embedded.ts'
import { startTestServer, type TestServer } from '../testing/harness.ts'
import { createRandom, fuzzRuns, fuzzSeed } from './random.ts'
import { sendMutated, type Tally } from './send-mutated.ts'

const AT_ONCE = 32
const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => spawnSync(path, ['-v']).status === 0)
let server: TestServer
let proxy: { port: number; process: ChildProcess; dir: string } | undefined
beforeAll(async () => {
  server = await startTestServer({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: '127.0.0.1' } })
  if (nginx) proxy = await startNginx(nginx, Number(new URL(server.url).port))
})
afterAll(async () => {
  proxy?.process.kill('SIGTERM')
  if (proxy) rmSync(proxy.dir, { recursive: true, force: true })
  await server?.close()
})

/** nginx that shares kept connections to the product among all clients: where a desync would reach others. */
async function startNginx(path: string, upstream: number) {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-fuzz-'))
  const port = await freePort()
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log; events {}
http { access_log off; client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  upstream product { server 127.0.0.1:${upstream}; keepalive 8; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://product; proxy_http_version 1.1; proxy_set_header Connection "";
    proxy_set_header Host $http_host; proxy_request_buffering off; proxy_next_upstream off; } } }`,
  )
  const child = spawn(path, ['-c', join(dir, 'nginx.conf'), '-p', dir], { stdio: 'ignore' })
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/healthz`), { timeout: 120_000 })
  return { port, process: child, dir }
}

function* count(from: number, to: number): Generator<number> {
  for (let id = from; id < to; id++) yield id
}

/** Sends the requests over several connections at once. The ids of each worker are fixed, so that a seed repeats all of them. */
async function run(port: number, from: number, runs: number): Promise<Tally> {
  const each = Math.ceil(runs / AT_ONCE)
  const tallies = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, worker) => {
      const start = from + worker * each
      return sendMutated(
        port,
        count(start, Math.min(start + each, from + runs)),
        createRandom(fuzzSeed() * 1_000 + from + worker),
      )
    }),
  )
  const statuses: Tally['statuses'] = {}
  for (const tally of tallies)
    for (const [status, times] of Object.entries(tally.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + times
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  return {
    sent: sum((tally) => tally.sent),
    inStep: sum((tally) => tally.inStep),
    connections: sum((tally) => tally.connections),
    statuses,
    finds: tallies.flatMap((tally) => tally.finds),
  }
}

async function isSound(port: number, from: number): Promise<void> {
  const runs = Math.ceil(fuzzRuns() / 2)
  const { finds, ...figures } = await run(port, from, runs)
  console.log(`fuzz: ${JSON.stringify(figures)}`)
  expect(finds.slice(0, 5)).toEqual([])
  expect(figures.sent).toBe(runs)
  // The requests reached the product, and many connections stayed usable.
  expect(figures.inStep).toBeGreaterThan(runs / 10)
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
}

const limits = { timeout: 1_800_000 }
test('mutated requests, directly: each answer belongs to its request, and nothing fails on our side', limits, () =>
  isSound(Number(new URL(server.url).port), 0),
)

// Without nginx the test is skipped and reported as such.
test.skipIf(!nginx)('mutated requests through nginx, which shares its connections among clients', limits, () =>
  isSound(proxy!.port, 10_000_000),
)
