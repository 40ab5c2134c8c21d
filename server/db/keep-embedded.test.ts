import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import { freePort } from './embedded.ts'

// Each starts the product two times.
vi.setConfig({ testTimeout: 240_000 })

let dir: string
let running: ServerProcess[]
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-kept-'))
  running = []
})
afterEach(async () => {
  for (const server of running) server.child.kill('SIGTERM')
  await Promise.all(running.map((server) => server.ended))
  signalAll('SIGKILL')
  await rm(dir, { recursive: true, force: true })
})

const start = async () => {
  const port = await freePort()
  const server = startServerProcess({ FINMETER_DATA_DIR: join(dir, 'data'), PORT: String(port), SHUTDOWN_SECONDS: '5' })
  running.push(server)
  await server.ready
  return { server, ready: () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status) }
}

const pidFile = () => join(dir, 'data', 'postgres', 'postmaster.pid')
const postmaster = (): number => Number(readFileSync(pidFile(), 'utf8').split('\n')[0])

/** The embedded server's processes that still run. */
function processes(): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const parents = new Set(all.filter((one) => one.includes(join(dir, 'data', 'postgres'))).map(([pid]) => pid))
  return all
    .filter(([pid, parent, stat]) => !stat?.startsWith('Z') && (parents.has(pid) || parents.has(parent)))
    .map(([pid]) => Number(pid))
}

function signalAll(signal: NodeJS.Signals): void {
  for (const pid of processes())
    try {
      process.kill(pid, signal)
    } catch {
      // A session may have ended since.
    }
}

test('an embedded PostgreSQL that is killed is started again, on the same data and port', async () => {
  const { ready } = await start()
  const killed = postmaster()
  process.kill(killed, 'SIGKILL')
  await expect.poll(ready).toBe(503)
  await expect.poll(ready).toBe(200)
  expect(postmaster()).not.toBe(killed)
})

test('one that cannot be started again ends the process, with the reason, and the next start is not blocked', async () => {
  const { server } = await start()
  const config = join(dir, 'data', 'postgres', 'postgresql.conf')
  const good = readFileSync(config, 'utf8')
  writeFileSync(config, `${good}\nno_such_setting = on\n`)
  process.kill(postmaster(), 'SIGKILL')
  const { code, output } = await server.ended
  expect(code).toBe(1)
  expect(output).toContain('The embedded PostgreSQL ended and cannot be started again')
  expect(output).toContain('no_such_setting')
  writeFileSync(config, good)
  const next = await start()
  expect(await next.ready()).toBe(200)
})

test('SIGTERM ends the process and a PostgreSQL that is stopped', async () => {
  const { server } = await start()
  signalAll('SIGSTOP')
  server.child.kill('SIGTERM')
  const hung = setTimeout(() => server.child.kill('SIGKILL'), 120_000)
  const { code, signal, output } = await server.ended
  clearTimeout(hung)
  expect({ code, signal }, output).toEqual({ code: 0, signal: null })
  await expect.poll(processes).toEqual([])
})

test('a second signal leaves no PostgreSQL behind', async () => {
  const { server } = await start()
  signalAll('SIGSTOP')
  const again = setInterval(() => server.child.kill('SIGTERM'), 100)
  const { code } = await server.ended
  clearInterval(again)
  expect(code).toBe(143)
  await expect.poll(processes).toEqual([])
})

test('a PostgreSQL that a killed server left stopped does not block the next start', async () => {
  const { server } = await start()
  signalAll('SIGSTOP')
  server.child.kill('SIGKILL')
  await server.ended
  const { ready } = await start()
  expect(await ready()).toBe(200)
})
