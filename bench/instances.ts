import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../server/db/database.ts'
import { freePort, startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { createSecrets } from '../server/secrets/secrets.ts'
import { startServerProcess } from '../server/testing/process.ts'
import { makeAccounts } from './accounts.ts'
import { createLoad } from './load.ts'
import { startNginx } from './nginx.ts'
import { processorMicros } from './profile.ts'
import { quotePath, restRequests } from './requests.ts'

const CONNECTIONS = 96
const KEYS = 200
const ROUNDS = 3
const SECONDS = 5

interface Sums {
  calls: number
  seconds: number
  batches: number
  nodeMicros: number
  postgresMicros: number
  walBytes: number
  failed: number
}

/**
 * The same load through nginx on one instance, on three in turn, and on three with all calls of a key on one of them
 * (deploy/nginx-several.conf). Everything shares this machine, so that only the ratios say something. Returns a table
 * in Markdown. Needs nginx.
 */
export async function runInstances(say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-instances-'))
  const endings: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
  try {
    const postgres = await startEmbedded(join(dir, 'database'), 'bench')
    endings.push(postgres.stop)
    const db = openDatabase(postgres.connectionString, 4, () => {})
    endings.push(db.close)
    await migrate(db)
    const keysSecret = randomBytes(32).toString('hex')
    const ports = [await freePort(), await freePort(), await freePort()]
    const servers = ports.map((port) =>
      startServerProcess({
        DATABASE_URL: postgres.connectionString,
        FINMETER_DATA_DIR: join(dir, String(port)),
        KEYS_SECRET: keysSecret,
        PORT: String(port),
        LOG_LEVEL: 'silent',
      }),
    )
    endings.push(() => Promise.all(servers.map((server) => server.stop())))
    await Promise.all(servers.map(({ ready }) => ready))
    const fronts = [await freePort(), await freePort(), await freePort()]
    const nginx = await startNginx(dir, sites(ports, fronts), async () => {
      const answers = await Promise.all(fronts.map((port) => fetch(`http://127.0.0.1:${port}/healthz`)))
      return answers.every(({ ok }) => ok)
    })
    endings.push(nginx.stop)
    const load = await createLoad(CONNECTIONS)
    endings.push(load.close)
    const requests = restRequests(await makeAccounts(db, createSecrets(keysSecret), KEYS), quotePath)
    const names = ['one instance', 'three, in turn', 'three, by key']
    const sums = names.map(
      (): Sums => ({ calls: 0, seconds: 0, batches: 0, nodeMicros: 0, postgresMicros: 0, walBytes: 0, failed: 0 }),
    )
    const read = async () => ({
      node: servers.reduce((sum, { child }) => sum + (processorMicros(child.pid) ?? 0), 0),
      postgres: postgresMicros(await postmasterPid(db)),
      ...(await readWritten(db)),
    })
    for (const port of fronts) await load.run({ port, requests, seconds: 1 })
    for (let round = 0; round < ROUNDS; round++)
      for (let at = 0; at < names.length; at++) {
        const each = (at + round) % names.length
        const before = await read()
        const slice = await load.run({ port: fronts[each]!, requests, seconds: SECONDS })
        const after = await read()
        const sum = sums[each]!
        sum.calls += slice.answered
        sum.seconds += slice.answered / slice.perSecond
        sum.failed += slice.refused + slice.broken
        sum.batches += after.batches - before.batches
        sum.walBytes += after.walBytes - before.walBytes
        sum.nodeMicros += after.node - before.node
        sum.postgresMicros += after.postgres - before.postgres
        say(`round ${round + 1}  ${names[each]}: ${Math.round(slice.perSecond)} calls a second`)
      }
    return [
      '| | calls a second | calls in a batch | Node per call | PostgreSQL per call | write-ahead log per call | failed |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...sums.map(({ calls, seconds, batches, nodeMicros, postgresMicros, walBytes, failed }, at) => {
        const cells = [
          names[at],
          Math.round(calls / seconds).toLocaleString('en-US'),
          (calls / batches).toFixed(1),
          `${Math.round(nodeMicros / calls)} µs`,
          `${Math.round(postgresMicros / calls)} µs`,
          `${Math.round(walBytes / calls)} bytes`,
          failed,
        ]
        return `| ${cells.join(' | ')} |`
      }),
    ].join('\n')
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

async function readWritten(db: Database): Promise<{ batches: number; walBytes: number }> {
  const { rows } = await db.pool.query<{ batches: number; walBytes: number }>(
    `select (select count(*) from meter_batches) as batches, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as "walBytes"`,
  )
  return rows[0]!
}

async function postmasterPid(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return parentOf(rows[0]!.pid)
}

const parentOf = (pid: number | string): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])

/** Of all processes of the PostgreSQL server that run now. */
function postgresMicros(postmaster: number): number {
  let sum = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (parentOf(pid) === postmaster) sum += processorMicros(Number(pid)) ?? 0
    } catch {
      // It ended meanwhile.
    }
  return sum
}

/** One front for each case. The last one is deploy/nginx-several.conf without TLS. */
function sites(ports: number[], [one, turn, byKey]: number[]): string {
  const servers = ports.map((port) => `server 127.0.0.1:${port};`).join(' ')
  const hash = 'hash $http_x_api_key$arg_apikey$http_authorization consistent;'
  const front = (port: number | undefined, name: string, upstream: string) => `
upstream ${name} { ${upstream} keepalive 128; }
server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://${name}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; } }`
  return `access_log off; ${front(one, 'one', `server 127.0.0.1:${ports[0]};`)}${front(turn, 'turn', servers)}${front(byKey, 'by_key', `${hash} ${servers}`)}`
}
