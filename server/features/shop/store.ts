import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { transact } from '../../db/in-transaction.ts'
import type { StoredShop } from './prepare-shop.ts'
import type { Asset } from './read-logo.ts'

/** Sent in the transaction of each change: servers take it over. */
export const SHOP_CHANGED = 'shop_changed'

/** Changes the shop under its lock, and tells every server when it is committed. */
export const changeShop = <T>(db: Queryable, change: (tx: Queryable) => Promise<T>): Promise<T> =>
  transact(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('shop', 0))`.execute(tx)
    const result = await change(tx)
    await sql`select pg_notify(${SHOP_CHANGED}, '')`.execute(tx)
    return result
  })

export interface Served {
  version: number
  stored: StoredShop
  createdAt: Date
  /** Whether mails come from the shop's sender. */
  senderConfirmed: boolean
}

/** The version that is served; undefined: the unnamed shop. */
export async function servedShop(db: Queryable): Promise<Served | undefined> {
  const row = await db
    .selectFrom('shop as s')
    .innerJoin('shop_versions as v', 'v.version', 's.version')
    .leftJoin('shop_senders as m', (join) => join.on(sql<boolean>`m.address = v.settings->>'sender'`))
    .select(['v.version', 'v.settings', 'v.created_at', 'm.confirmed_at'])
    .executeTakeFirst()
  return (
    row && {
      version: row.version,
      stored: row.settings as unknown as StoredShop,
      createdAt: row.created_at,
      senderConfirmed: row.confirmed_at !== null,
    }
  )
}

/** Whether anyone holds an API key. The demonstration's key `demo` is no row. */
export async function hasCustomers(db: Queryable): Promise<boolean> {
  const key = await db.selectFrom('api_keys').select('id').where('deleted_at', 'is', null).limit(1).executeTakeFirst()
  return key !== undefined
}

/** Stores the next version and returns its number. */
export async function insertVersion(tx: Queryable, before: number | null, stored: StoredShop): Promise<number> {
  const { last } = await tx
    .selectFrom('shop_versions')
    .select(({ fn }) => fn.max('version').as('last'))
    .executeTakeFirstOrThrow()
  const version = Number(last ?? 0) + 1
  await tx
    .insertInto('shop_versions')
    .values({ version, before, settings: JSON.stringify(stored) })
    .execute()
  return version
}

/** Sets what is served; null: the unnamed shop. */
export const setServed = (tx: Queryable, version: number | null): Promise<unknown> =>
  tx
    .insertInto('shop')
    .values({ version })
    .onConflict((conflict) => conflict.column('single').doUpdateSet({ version, changed_at: sql`app_now()` }))
    .execute()

/** Every version that was applied, newest first. */
export async function listVersions(db: Queryable): Promise<{ version: number; name: string; createdAt: Date }[]> {
  return db
    .selectFrom('shop_versions')
    .select(['version', sql<string>`settings->>'name'`.as('name'), 'created_at as createdAt'])
    .orderBy('version', 'desc')
    .execute()
}

/** What was served when this version was applied. */
export async function versionBefore(tx: Queryable, version: number): Promise<number | null> {
  const { before } = await tx
    .selectFrom('shop_versions')
    .select('before')
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return before
}

export async function insertAssets(tx: Queryable, assets: readonly Asset[]): Promise<void> {
  if (assets.length === 0) return
  await tx
    .insertInto('shop_assets')
    .values([...assets])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const readAsset = (db: Queryable, hash: string): Promise<{ type: string; body: Buffer } | undefined> =>
  db.selectFrom('shop_assets').select(['type', 'body']).where('hash', '=', hash).executeTakeFirst()
