import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/db/database.ts'
import { freePort, startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { revokeConnectionKey } from '../server/features/keys/revoke.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { createSecrets } from '../server/secrets/secrets.ts'
import { startServerProcess } from '../server/testing/process.ts'

const ROUNDS = 100
const TARGET_MS = 250

/**
 * How long a deleted key still works: two servers on one PostgreSQL, both with the key cached. Measured from the commit
 * of the deletion to the first refusal by each, with requests sent continuously. Returns a sentence.
 */
export async function runRevocation(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-revocation-'))
  const postgres = await startEmbedded(directory, 'bench')
  const db = openDatabase(postgres.connectionString, 4, () => {})
  const keysSecret = randomBytes(32).toString('hex')
  const ports = [await freePort(), await freePort()]
  await migrate(db)
  const servers = ports.map((port) =>
    startServerProcess({
      DATABASE_URL: postgres.connectionString,
      KEYS_SECRET: keysSecret,
      PORT: String(port),
      LOG_LEVEL: 'silent',
    }),
  )
  try {
    await Promise.all(servers.map(({ ready }) => ready))
    const ask = async (port: number, key: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/quotes?symbols=AAPL`, { headers: { 'x-api-key': key } })
      await answer.arrayBuffer()
      return answer.status
    }
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { key } = await makeLoadTestAccount(db.kysely, createSecrets(keysSecret), 1_000_000)
      for (const port of ports) if ((await ask(port, key)) !== 200) throw new Error('The new key is not answered.')
      const { rows } = await db.pool.query<{ id: number }>('select max(id) as id from api_keys')
      await db.kysely.transaction().execute((tx) => revokeConnectionKey(tx, rows[0]!.id))
      const deletedAt = performance.now()
      const refusedAfter = async (port: number): Promise<number> => {
        while ((await ask(port, key)) !== 401);
        return performance.now() - deletedAt
      }
      took.push(...(await Promise.all(ports.map(refusedAfter))))
    }
    took.sort((a, b) => a - b)
    const at = (part: number) => took[Math.floor(part * (took.length - 1))]!.toFixed(1)
    return `${ROUNDS} keys deleted, 2 servers: refused after ${at(0.5)} ms (median), ${at(0.99)} ms (p99), ${at(1)} ms (longest); target: under ${TARGET_MS} ms.`
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await db.close()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
