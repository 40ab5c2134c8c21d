/** The operator's command: npm run billing -- <act> ... */
import { randomUUID } from 'node:crypto'
import { loadConfig } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { listDeadEvents, replayEvent } from '../features/billing/events/replay-events.ts'
import { claimSpent } from '../features/billing/invoices/claim-spent.ts'
import { prepareCatalog, syncCatalog } from '../features/billing/plans/sync-catalog.ts'
import { reconcile } from '../features/billing/reconcile.ts'
import { refundInvoice } from '../features/billing/refunds/refund-invoice.ts'
import { seedCatalog } from '../features/billing/stripe/seed-catalog.ts'
import { logRefund } from '../features/operator/acts/refund.ts'
import { COMMAND_LINE } from '../features/operator/console/run-act.ts'
import { runCommand } from './connect.ts'
import { print } from './print.ts'
import { chooseAct, readWords, refuseWords } from './read-words.ts'

const usage = `npm run billing -- reconcile       compares with Stripe, repairs, and reports differences
npm run billing -- seed            creates missing products, prices and the meter at Stripe
npm run billing -- events          lists the events that were given up
npm run billing -- replay <event>  applies an event once more
npm run billing -- refund <invoice> [cents] --reason <text>  sends its money back, whole or in part, and takes its credits back
npm run billing -- claim <invoice>  lets later credits pay for those that were spent of a refunded invoice`

type Act = (deps: Deps, words: string[]) => Promise<void>

const acts: Record<string, Act | undefined> = {
  async reconcile(deps) {
    await prepareCatalog(deps)
    const { missedEvents, compared, repaired, violations } = await reconcile(deps)
    print(`${compared} objects compared, ${missedEvents} missed events, ${repaired.length} repaired.`)
    for (const line of repaired) print(`repaired   ${line}`)
    for (const line of violations) print(`VIOLATION  ${line}`)
    if (violations.length > 0) process.exitCode = 1
  },
  async seed(deps) {
    if (!deps.stripe) throw new Error('No payment provider is set up: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.')
    await seedCatalog(deps.stripe)
    print(`${await syncCatalog(deps)} plans are offered.`)
  },
  async events({ db }) {
    const dead = await listDeadEvents(db)
    for (const { id, type, error } of dead) print(`${id}  ${type}  ${error ?? ''}`)
    print(dead.length === 0 ? 'No event has been given up.' : 'npm run billing -- replay <event> retries one.')
  },
  async replay(deps, [id = '']) {
    const error = await replayEvent(deps, id)
    if (error !== null) throw new Error(`The event failed again: ${error}`)
    print('The event was applied.')
  },
  async refund(deps, [invoice = '', cents]) {
    if (!values.reason?.trim()) throw new Error('Give a reason for the audit log: --reason <text>.')
    const reason = values.reason.trim()
    const actId = randomUUID()
    const asked = {
      actId,
      invoiceId: invoice,
      cents: cents === undefined ? undefined : Number(cents),
      operator: COMMAND_LINE,
    }
    const { voided, spent, ...done } = await refundInvoice(deps, asked, (tx, started) =>
      logRefund(tx, { act_id: actId, reason, target: invoice }, started),
    )
    print(`${done.cents} cents refunded. Of this payment, ${voided} credits were taken back, ${spent} were spent.`)
    if (done.state === 'pending') print('The money is under way: the payment provider has yet to confirm it.')
    if (spent > 0) print(`npm run billing -- claim ${invoice} makes later credits pay for the spent ones.`)
  },
  async claim(deps, [invoice = '']) {
    print(`${await claimSpent(deps, invoice)} credits are owed now; the next grants pay them first.`)
  },
}

/** How many words an action needs, and accepts at most; the others take none. */
const wordsOf: Record<string, [number, number] | undefined> = { replay: [1, 1], refund: [1, 2], claim: [1, 1] }

const { words, values } = readWords(usage, { reason: { type: 'string' } })
const [name = '', ...given] = words
const act = chooseAct(acts, words[0], usage)
const [least, most] = wordsOf[name] ?? [0, 0]
if (given.length < least || given.length > most) refuseWords(usage)
if (name === 'refund' && given[1] !== undefined && !/^[1-9]\d{0,8}$/.test(given[1])) refuseWords(usage)
await runCommand(async ({ databaseUrl }) => {
  const { compose } = await import('../compose.ts')
  const composition = await compose(loadConfig({ ...process.env, MIGRATE: 'off' }), databaseUrl, { sandboxTickMs: 0 })
  await act(composition.deps, given).finally(composition.close)
})
