import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { sendRefund } from './send-refund.ts'
import { type AskedRefund, type StartedRefund, startRefund } from './start-refund.ts'

export interface Refunded {
  cents: number
  state: 'pending' | 'succeeded' | 'failed'
  /** Credits of the payment that were taken back in total, and those already spent. */
  voided: number
  spent: number
}

/**
 * Refunds a paid invoice, in full or `cents` of it, and takes its credits back in proportion. `also` runs in the transaction that
 * starts it. One that the provider has not answered is sent again instead. The event that follows changes nothing. Throws for an unpaid invoice, and as sendRefund does.
 */
export async function refundInvoice(
  deps: Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>,
  asked: AskedRefund,
  also: (tx: Queryable, started: StartedRefund) => Promise<void> = async () => {},
): Promise<Refunded> {
  const unsent = await findUnsent(deps.db.kysely, asked)
  const { actId, cents } =
    unsent ??
    (await deps.db.kysely.transaction().execute(async (tx) => {
      const started = await startRefund(tx, asked)
      await also(tx, started)
      return { actId: asked.actId, cents: started.cents }
    }))
  const { state, chargeId } = await sendRefund(deps, actId)
  const taken = await deps.db.kysely
    .selectFrom('reversals')
    .select(['voided', 'spent'])
    .where('charge_id', '=', chargeId ?? '')
    .executeTakeFirst()
  return { cents, state, voided: taken?.voided ?? 0, spent: taken?.spent ?? 0 }
}

const findUnsent = async (db: Queryable, { invoiceId, cents }: AskedRefund) => {
  const found = await db
    .selectFrom('refunds')
    .select(['act_id as actId', 'cents'])
    .where('invoice_id', '=', invoiceId)
    .where('state', '=', 'unsent')
    .executeTakeFirst()
  return found && (cents === undefined || cents === found.cents) ? found : null
}
