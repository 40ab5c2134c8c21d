import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'

const WRITE_EVERY_MS = 5_000
const MOST_CHARACTERS = 200

export interface LastUse {
  note: (keyId: number, address: string, client: string) => void
  /** Writes what is pending. */
  close: () => Promise<void>
}

/**
 * Where each key was last used from (address and client), collected in memory and written every five seconds, so that
 * no call waits for it. A crash loses a few seconds; usage counts never depend on it.
 */
export function createLastUse(db: Database, log: Logger): LastUse {
  let seen = new Map<number, { at: number; address: string; client: string }>()

  const write = async (): Promise<void> => {
    if (seen.size === 0) return
    const uses = [...seen]
    seen = new Map()
    // Ages, not times, because the database's clock is the product's.
    const ages = uses.map(([, use]) => (Date.now() - use.at) / 1000)
    await db.pool
      .query(
        `insert into key_last_use as u (key_id, at, address, client)
         select key_id, app_now() - make_interval(secs => age), address, client
         from unnest($1::bigint[], $2::float8[], $3::inet[], $4::text[]) t(key_id, age, address, client) order by key_id
         on conflict (key_id) do update set at = excluded.at, address = excluded.address, client = excluded.client
         where excluded.at >= u.at`,
        [uses.map(([keyId]) => keyId), ages, uses.map(([, use]) => use.address), uses.map(([, use]) => use.client)],
      )
      .catch((error: Error) => log.warn({ error: error.message }, 'could not write the last uses of keys'))
  }

  const timer = setInterval(() => void write(), WRITE_EVERY_MS)
  timer.unref()
  return {
    note(keyId, address, client) {
      const before = seen.get(keyId)
      if (before?.address === address && before.client === client) before.at = Date.now()
      else if (isIP(address) !== 0)
        seen.set(keyId, { at: Date.now(), address, client: client.slice(0, MOST_CHARACTERS) })
    },
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}
