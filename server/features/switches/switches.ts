import { sql } from 'kysely'
import { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'

/** Sent in the transaction of each change: servers take it over. */
export const SWITCHES_CHANGED = 'switches_changed'

export const bannerSetting = z.object({ text: z.string(), until: z.iso.datetime() })
export type Banner = z.output<typeof bannerSetting>

/** What an operator has switched on a bad day. */
export type SwitchName = 'sales' | 'banner'

export interface SwitchRow {
  name: SwitchName
  setting: unknown
  setBy: string
  reason: string
  setAt: Date
}

/** The switches that are on, by name. */
export async function readSwitches(db: Queryable): Promise<SwitchRow[]> {
  const rows = await db.selectFrom('switches').selectAll().orderBy('name').execute()
  return rows.map(({ name, setting, set_by, reason, set_at }) => ({
    name: name as SwitchName,
    setting,
    setBy: set_by,
    reason,
    setAt: set_at,
  }))
}

/** Switches on with a setting, or off with null, in the caller's transaction. Returns what was set before; null: it was off. */
export async function setSwitch(
  tx: Queryable,
  name: SwitchName,
  setting: Banner | Record<string, never> | null,
  { setBy, reason }: { setBy: string; reason: string },
): Promise<unknown> {
  const before = await tx.deleteFrom('switches').where('name', '=', name).returning('setting').executeTakeFirst()
  if (setting !== null)
    await tx
      .insertInto('switches')
      .values({ name, setting: JSON.stringify(setting), set_by: setBy, reason })
      // Another operator may set it at the same moment.
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ setting: JSON.stringify(setting), set_by: setBy, reason }),
      )
      .execute()
  await sql`select pg_notify(${SWITCHES_CHANGED}, '')`.execute(tx)
  return before?.setting ?? null
}

/** Whether nothing is sold for now. Asked in the transaction of a sale: it counts at once, on every server. */
export async function salesAreStopped(tx: Queryable): Promise<boolean> {
  const row = await tx.selectFrom('switches').select('name').where('name', '=', 'sales').executeTakeFirst()
  return row !== undefined
}

/** Throws billing_unavailable while sales are stopped. */
export async function requireSales(tx: Queryable): Promise<void> {
  if (await salesAreStopped(tx))
    throw new AppError(
      'billing_unavailable',
      'Nothing can be bought here for now, and nothing was charged. Your plan and your credits stay as they are. Try again later.',
    )
}
