import type { Queryable } from '../../db/database.ts'
import type { PreparedShop } from './prepare-shop.ts'
import { changeShop, insertAssets, insertVersion, servedShop, setServed, versionBefore } from './store.ts'

/** Serves this shop as the next version, at every server within two seconds, if `also` succeeds in the same transaction. Returns its number. */
export const applyShop = (
  db: Queryable,
  { stored, assets }: PreparedShop,
  also: (tx: Queryable) => Promise<unknown> = async () => {},
): Promise<number> =>
  changeShop(db, async (tx) => {
    const served = await servedShop(tx)
    await insertAssets(tx, assets)
    const version = await insertVersion(tx, served?.version ?? null, stored)
    await setServed(tx, version)
    await also(tx)
    return version
  })

/** Serves again what was served before the last `apply`. Returns its version; null: the unnamed shop. Throws an Error if that is served. */
export const undoShop = (db: Queryable): Promise<number | null> =>
  changeShop(db, async (tx) => {
    const served = await servedShop(tx)
    if (!served) throw new Error('There is nothing to undo: this installation has no name of its own.')
    const before = await versionBefore(tx, served.version)
    await setServed(tx, before)
    return before
  })
