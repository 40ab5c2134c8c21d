import { Agent } from 'node:http'
import type { Database } from '../../db/database.ts'
import { endExpiredHolds } from '../../features/metering/holds.ts'
import { settleTooLate } from './call-meter-door.ts'
import { moveClock, untilAnswered } from './faults.ts'
import type { Seen } from './seen.ts'

/** Longer than the clock was ahead, and a hold more. */
const HOURS = 13

const countHolds = async (db: Database): Promise<number> =>
  (await db.pool.query<{ n: number }>('select count(*)::int as n from credit_holds')).rows[0]!.n

/**
 * Lets the time of all holds pass, and ends what was never settled as the servers' own job does. Notes a difference for each hold that is
 * left. Returns how many had expired.
 */
export async function endHolds({
  db,
  ...door
}: {
  db: Database
  ports: () => number[]
  seen: Seen
  serviceKey: string
}): Promise<number> {
  const open = await untilAnswered(() => countHolds(db))
  await moveClock(db, HOURS)
  await untilAnswered(() => endExpiredHolds(db))
  const agent = new Agent({ keepAlive: true })
  await settleTooLate({ agent, ...door })
  agent.destroy()
  const left = await countHolds(db)
  if (left > 0) door.seen.unexpected.push(`${left} holds are left after their time`)
  return open
}
