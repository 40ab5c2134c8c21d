import { loadConfig } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { transactInLease } from '../features/billing/lease/in-lease.ts'
import { leaseOfPerson } from '../features/deletion/deletion.ts'
import { actFromCommandLine } from '../features/operator/acts/act-on-account.ts'
import { endSessions } from '../features/operator/acts/end-sessions.ts'
import { grant } from '../features/operator/acts/grant.ts'
import { addNote } from '../features/operator/acts/note.ts'
import { deleteCustomer, exportData, ownerOf, resendTo } from '../features/operator/acts/people.ts'
import { setPlan } from '../features/operator/acts/set-plan.ts'
import { setRateLimit } from '../features/operator/acts/set-rate-limit.ts'
import { suspend } from '../features/operator/acts/suspend.ts'
import { takeBack } from '../features/operator/acts/take-back.ts'
import { viewFromCommandLine } from '../features/operator/acts/view-as.ts'
import { COMMAND_LINE } from '../features/operator/console/run-act.ts'
import { findAccount } from '../features/operator/find-account.ts'
import type { Connection } from './connect.ts'
import { print, Usage } from './print.ts'

interface Given {
  words: string[]
  /** Throws if none was given. */
  needReason: () => string
  usage: string
}
type Act = (connection: Connection, given: Given) => Promise<void>

/** The acts on a customer that the console has, too. Each is in the operators' log and in the customer's audit log. */
export const customerActs: Record<string, Act> = {
  suspend: (connection, given) => setSuspended(connection, given, true),
  resume: (connection, given) => setSuspended(connection, given, false),
  async grant({ db }, given) {
    const [account, amount] = need(given, 2)
    const credits = wholeNumber(amount, 'credits')
    const act = { action: 'credits.granted', reason: given.needReason() }
    const { after } = (await actFromCommandLine(db, account, act, (tx, found) => grant(tx, found, credits)))!
    print(`${credits} credits granted; the account has ${after.balance}.`)
  },
  async void({ db }, given) {
    const [account, amount] = need(given, 2)
    const act = { action: 'credits.voided', reason: given.needReason() }
    const asked = wholeNumber(amount, 'credits')
    const { credits, after } = (await actFromCommandLine(db, account, act, (tx, found) => takeBack(tx, found, asked)))!
    print(`${credits} credits taken back; the account has ${after.balance}.`)
  },
  async plan({ db }, given) {
    const [account, named] = need(given, 2)
    const act = { action: 'plan.set', reason: given.needReason() }
    const { after } = (await actFromCommandLine(db, account, act, (tx, found) => setPlan(tx, found, named)))!
    const credits = after.granted > 0 ? ', and has its credits' : '; its credits come with the next month'
    print(`The account is on ${after.plan}${credits}.`)
  },
  async limits({ db }, given) {
    const [account, limit] = need(given, 2)
    const perMinute = limit === 'unlimited' ? 0 : limit === 'plan' ? null : wholeNumber(limit, 'requests per minute')
    const act = { action: 'limits.changed', reason: given.needReason() }
    await actFromCommandLine(db, account, act, (tx, found) => setRateLimit(tx, found, perMinute))
    print(
      `The limit is now: ${limit === 'unlimited' ? 'none' : limit === 'plan' ? "the plan's" : `${perMinute} requests per minute`}.`,
    )
  },
  async 'end-sessions'({ db, config }, given) {
    const [account] = need(given, 1)
    if (config.AUTH_URL) throw new Error('Another service handles sign-in (AUTH_URL). End the sessions there.')
    const act = { action: 'sessions.ended', reason: given.needReason() }
    const { before } = (await actFromCommandLine(db, account, act, endSessions, { whileEnding: true }))!
    print(`${before.sessions} sessions have ended. Keys and connected programs keep working.`)
  },
  async resend(connection, given) {
    const [account, email] = need(given, 2)
    const reason = given.needReason()
    await withDeps(connection, async (deps) => {
      await actFromCommandLine(deps.db, account, { action: 'mail.sent_again', reason, target: email }, (tx, found) =>
        resendTo(tx, deps, found, email),
      )
    })
    print(`A mail with a new link is on its way to ${email}.`)
  },
  async export({ db }, given) {
    const [account] = need(given, 1)
    const act = { action: 'export.started', reason: given.needReason() }
    const started = await actFromCommandLine(db, account, act, exportData, { whileEnding: true })
    print(started ? 'The owner gets a mail when the export is ready.' : 'An export is being built already.')
  },
  async delete(connection, given) {
    const [named] = need(given, 1)
    const act = { action: 'account.deletion_requested', reason: given.needReason() }
    const { userId, email } = await ownerOf(connection.db.kysely, (await findAccount(connection.db.kysely, named)).id)
    await withDeps(connection, async (deps) => {
      const { after } = (await actFromCommandLine(
        deps.db,
        named,
        act,
        (tx, found) => deleteCustomer(tx, deps, found),
        {},
        (run) => transactInLease(deps.db, leaseOfPerson(userId), run),
      ))!
      print(
        `Keys and plans of ${email} have ended; the data is erased on ${after.deletion_due_at}. Until then the owner can keep the account.`,
      )
    })
  },
  async view(connection, given) {
    const [account, email] = need(given, 2)
    const reason = given.needReason()
    await withDeps(connection, async (deps) => {
      const url = await viewFromCommandLine(deps, account, email, reason)
      print('The dashboard, read-only, for 15 minutes. The owner gets an email. Whoever has this link sees it:', url)
    })
  },
  async note({ db }, given) {
    const [account, note] = need(given, 2)
    if (!note.trim()) throw new Error('The note is empty.')
    await actFromCommandLine(
      db,
      account,
      { action: 'note.added', reason: 'A note' },
      (tx, found) => addNote(tx, found, COMMAND_LINE, note.trim()),
      { whileEnding: true },
    )
    print('The note is on the page of the customer in the console.')
  },
}

/** What asks the payment provider, or sends mail, needs all parts of the product, which take longer to load than most acts to run. */
async function withDeps({ databaseUrl }: Connection, work: (deps: Deps) => Promise<void>): Promise<void> {
  const { compose } = await import('../compose.ts')
  const composition = await compose(loadConfig({ ...process.env, MIGRATE: 'off' }), databaseUrl, { sandboxTickMs: 0 })
  await work(composition.deps).finally(composition.close)
}

async function setSuspended({ db }: Connection, given: Given, suspended: boolean): Promise<void> {
  const [account] = need(given, 1)
  const act = { action: suspended ? 'account.suspended' : 'account.resumed', reason: given.needReason() }
  const changed = await actFromCommandLine(db, account, act, (tx, found) => suspend(tx, found, suspended))
  if (suspended)
    print(changed ? 'The account is suspended: its calls are refused.' : 'The account was already suspended.')
  else print(changed ? 'The account is active again.' : 'The account was not suspended.')
}

function need({ words, usage }: Given, count: number): [string, string] {
  if (words.length !== count) throw new Usage(usage)
  return words as [string, string]
}

/** A whole number above 0. Throws a message that names `what`. */
export function wholeNumber(text: string, what: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new Error(`${what}: expected a whole number above 0, not ${text}.`)
  return value
}
