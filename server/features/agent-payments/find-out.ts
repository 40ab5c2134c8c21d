import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Claim, PaymentMethod } from './method.ts'
import { noteOutcome, recordSettled } from './record-settled.ts'
import { countUndecided } from './undecided.ts'

/** Longer than any settlement takes: then the process that began it has died. */
const SETTLING_SECONDS = 90
const AT_ONCE = 100

type Open = Claim & { id: number }

/**
 * Decides payments whose outcome nobody has heard, by asking the supplier or the chain, and releases claims whose server died. Safe on any
 * number of servers. Returns how many changed.
 */
export async function findOutPayments(
  { db, log, secrets }: Pick<Deps, 'db' | 'log' | 'secrets'>,
  method: PaymentMethod,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update agent_payments set state = 'released' where state = 'claimed' and claimed_until <= app_now()`.execute(
    db.kysely,
  )
  let changed = Number(numAffectedRows)
  for (const open of await readOpen(db, method.id)) {
    const { id } = open
    const found = await method.look(open)
    try {
      if (found.kind === 'settled') await recordSettled({ db, secrets }, id, found.reference)
      else await noteOutcome(db, id, found.kind, found.reason)
    } catch (error) {
      // One that cannot be written, such as that of a suspended account, must not stop the others.
      log.error({ payment: id, error: (error as Error).message }, 'a settled payment could not be written')
      await noteOutcome(db, id, 'unknown', 'not_written')
      continue
    }
    if (found.kind !== 'unknown') changed++
    log.info({ payment: id, outcome: found.kind }, 'a payment was looked up')
  }
  const late = await countUndecided(db.kysely)
  if (late > 0)
    log.fatal({ payments: late }, 'payments of agents are undecided: npm run admin -- payments --state unknown')
  return changed
}

async function readOpen(db: Database, supplier: string): Promise<Open[]> {
  const { rows } = await sql<Open>`
    select id, network, asset, payer, nonce, pay_to as "payTo", atomic as amount, settling_at as "claimedAt", valid_before as "validBefore"
    from agent_payments where supplier = ${supplier} and (state = 'unknown'
      or state = 'settling' and settling_at < app_now() - make_interval(secs => ${SETTLING_SECONDS}))
    order by looked_at nulls first limit ${AT_ONCE}`.execute(db.kysely)
  return rows
}

/** Deletes claims of which nothing came, a day after they could be used. Returns how many. */
export async function forgetPayments({ kysely }: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from agent_payments where state in ('released', 'failed') and valid_before < app_now() - interval '24 hours'`.execute(
    kysely,
  )
  return Number(numAffectedRows)
}
