/** The operator's command: npm run admin -- <act> ... Every change is in the audit log. */
import { decodeProtectedHeader } from 'jose'
import { formatMoney } from '#contract/currency.ts'
import { listPayments, paymentStates } from '../features/agent-payments/list-payments.ts'
import { openArchive } from '../features/archive/archive-store.ts'
import { noteKeyEvent } from '../features/auth/audit.ts'
import { createAccessTokens } from '../features/auth/tokens/access-tokens.ts'
import { describeCall } from '../features/operator/describe-call.ts'
import { findCall } from '../features/operator/find-call.ts'
import { type AccountFilter, listAccounts } from '../features/operator/list-accounts.ts'
import { listFailedWebhooks } from '../features/operator/list-failed-webhooks.ts'
import { listInvoicesByOperator } from '../features/operator/list-invoices.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { readFailedCalls } from '../features/usage/failed-calls.ts'
import { createLog } from '../log.ts'
import { manageBuckets } from './buckets.ts'
import { type Connection, runCommand } from './connect.ts'
import { customerActs, wholeNumber } from './customer-acts.ts'
import { manageServiceKeys } from './meter-key.ts'
import { manageOperators } from './operators.ts'
import { print, Usage } from './print.ts'
import { chooseAct, readWords } from './read-words.ts'
import { rotateSecretCommand } from './rotate-secret.ts'
import { manageSigningKeys } from './signing-keys.ts'

const usage = `npm run admin -- find <text>
npm run admin -- list [--suspended] [--limit <number>]
npm run admin -- suspend <account> --reason <text>
npm run admin -- resume <account> --reason <text>
npm run admin -- grant <account> <credits> --reason <text>
npm run admin -- void <account> <credits> --reason <text>
npm run admin -- plan <account> <plan> --reason <text>
npm run admin -- limits <account> <requests per minute | unlimited | plan> --reason <text>
npm run admin -- note <account> <text>
npm run admin -- view <account> <operator> --reason <text>
npm run admin -- end-sessions <account> --reason <text>
npm run admin -- resend <account> <email> --reason <text>
npm run admin -- export <account> --reason <text>
npm run admin -- delete <account> --reason <text>
npm run admin -- invoices [account] [--limit <number>]
npm run admin -- payments [--state <state>] [--limit <number>]
npm run admin -- webhooks [--limit <number>]
npm run admin -- failing [--hours <number>] [--limit <number>]
npm run admin -- call <receipt>
npm run admin -- loadtest [--credits <number>]
npm run admin -- operator [list | add <email> [--role <owner | support | finance | viewer>] | remove <email> | trust-factor <email> | forget-factor <email>] [--reason <text>]
npm run admin -- buckets [add | move <account> <bucket> | distribute | place <bucket> <node> | drain <node>]
npm run admin -- signing-keys [rotate | retire <kid>]
npm run admin -- service-key
npm run admin -- meter-key [--upstream <id>]... | list | revoke <number>
npm run admin -- rotate-secret

<account> is an account's id, or the email address of the person whose Personal account it is.
find looks for a part of a name or email address, an account's id, or the beginning of an API key.
void takes back credits that nobody paid for. To take back paid credits, refund the payment.
Each change has a reason: it is in the operators' audit log, and the customer does not see it.
note adds a note for operators to the page of a customer.
view prints a link to the customer's dashboard, read-only and for 15 minutes, as a view of this operator (owner or support).
end-sessions signs out all members everywhere. resend mails an invitation, or the confirmation of an address, again.
export builds a file that the owner of the account downloads after signing in. delete ends the owner's keys and plans at once, and
erases their data after 14 days.
plan puts an account on a plan without payment; <plan> is its name or its price's id.
invoices lists the newest invoices with what was refunded; npm run billing -- refund <invoice> sends money back.
payments lists payments by agents, the newest first; <state> is claimed, settling, settled, failed, unknown or released.
webhooks lists alerts that could not be posted, and why.
failing lists calls that brought an error in the last 24 hours, by tool and cause; --hours looks back up to 2,160.
call shows everything stored about a metered call, and whether it was slow compared with others. It changes nothing.
loadtest makes an account without limits and prints its key alone on the last line.
operator lists, adds and removes the people who may open the console at /operator; without --role, add makes an owner. add prints the
link for the first entry; run it again, with the role, for another link.
trust-factor lets a second factor that an operator has just added, or adds within a day, confirm actions on money and people at once.
forget-factor deletes the second factors of an operator who lost theirs; they add a new one after signing in.
buckets lists the metering buckets with their load; add adds one, move moves an account while its calls continue. Repeat an interrupted move.
With Citus, distribute gives each bucket to a node, place moves a bucket to another node, and drain moves all buckets of a node to the others.
signing-keys lists the keys that sign access tokens; rotate adds one that signs in 20 minutes, retire withdraws one.
service-key prints a key for the admin routes of /auth/v1 alone on the last line. It grants full access there: keep it secret.
meter-key prints a service key for /v1/meter alone on the last line. Gateways and services use it to charge customers' calls.
--upstream limits the key to the operations of an upstream; list lists the keys, revoke ends one everywhere at once.
rotate-secret encrypts everything under KEYS_SECRET that is still encrypted under KEYS_SECRET_PREVIOUS, while servers run.`

const LOAD_TEST_CREDITS = 1_000_000_000
const MOST_LINES = 1_000
/** Ninety days, as long as they are kept. */
const MOST_HOURS = 2_160

const { words: given, values } = readWords(usage, {
  reason: { type: 'string' },
  credits: { type: 'string' },
  limit: { type: 'string' },
  role: { type: 'string' },
  state: { type: 'string' },
  hours: { type: 'string' },
  suspended: { type: 'boolean' },
  upstream: { type: 'string', multiple: true },
})
const [act, ...words] = given

const lines = (): number => Math.min(MOST_LINES, values.limit ? wholeNumber(values.limit, '--limit') : 50)

const acts: Record<string, ((connection: Connection) => Promise<void>) | undefined> = {
  async find(connection) {
    const [text] = need(words, 1)
    await printAccounts(connection, { text, limit: 50 })
  },
  async list(connection) {
    need(words, 0)
    await printAccounts(connection, { suspendedOnly: values.suspended, limit: lines() })
  },
  async invoices({ db }) {
    if (words.length > 1) throw new Usage(usage)
    const found = await listInvoicesByOperator(db.kysely, { named: words[0], limit: lines() })
    if (found.length === 0) print('There are no invoices.')
    for (const { id, number, status, createdAt, currency, amountCents, reversedCents, ownerEmail } of found) {
      const facts = [
        id,
        number ?? 'no number',
        status,
        createdAt.toISOString(),
        formatMoney(amountCents, currency, true),
      ]
      if (reversedCents > 0) facts.push(`${formatMoney(reversedCents, currency, true)} taken back`)
      print([...facts, ownerEmail ?? 'nobody'].join('  '))
    }
  },
  async payments({ db }) {
    need(words, 0)
    const state = paymentStates.find((one) => one === values.state)
    if (values.state !== undefined && !state) throw new Usage(usage)
    const found = await listPayments(db.kysely, { state, limit: lines() })
    if (found.length === 0) print('There are no payments by agents.')
    for (const { id, state: now, claimedAt, payer, credits, microUsd, reference, receiptId, reason } of found) {
      const facts = [id, now, claimedAt.toISOString(), `${credits} credits`, `$${(microUsd / 1e6).toFixed(6)}`, payer]
      print([...facts, ...[receiptId, reference, reason].filter((one) => one !== null)].join('  '))
    }
  },
  async webhooks({ db }) {
    need(words, 0)
    const found = await listFailedWebhooks(db.kysely, lines())
    if (found.length === 0) print('No webhook has failed.')
    for (const { id, ownerEmail, origin, attempts, error, nextAttemptAt } of found) {
      const next = nextAttemptAt ? `again at ${nextAttemptAt.toISOString()}` : 'given up'
      print([id, ownerEmail ?? 'nobody', origin ?? 'removed', `${attempts} attempts`, error, next].join('  '))
    }
  },
  async failing({ db }) {
    need(words, 0)
    const hours = values.hours ? Math.min(MOST_HOURS, wholeNumber(values.hours, '--hours')) : 24
    const found = await readFailedCalls(db.kysely, hours)
    if (found.length === 0) print(`No call brought an error in the last ${hours} hours.`)
    for (const { tool, cause, calls, lastAt } of found.slice(0, lines()))
      print([tool, cause, `${calls} calls`, `last ${lastAt.toISOString()}`].join('  '))
  },
  async call({ config, db }) {
    const [receiptId] = need(words, 1)
    print(...describeCall(receiptId, await findCall(db.kysely, receiptId, await openArchive(config))))
  },
  async loadtest({ db, secrets }) {
    const credits = values.credits ? wholeNumber(values.credits, 'credits') : LOAD_TEST_CREDITS
    const { accountId, key } = await makeLoadTestAccount(db.kysely, secrets, credits)
    print(`Account ${accountId} with ${credits} credits and no rate limit. Its key:`)
    print(key)
  },
  operator: (connection) => manageOperators(connection, { words, role: values.role, reason: values.reason, usage }),
  buckets: (connection) => manageBuckets(connection, words, usage),
  'meter-key': (connection) => manageServiceKeys(connection, words, values.upstream),
  'rotate-secret': async (connection) => {
    need(words, 0)
    await rotateSecretCommand(connection)
  },
  'signing-keys': async (connection) => manageSigningKeys(connection, words),
  async 'service-key'({ config, db, secrets }) {
    const tokens = await createAccessTokens({ config, db, secrets, log: createLog(config) })
    const key = await tokens.signServiceKey()
    await noteKeyEvent(db.kysely, 'auth.service_key_made', decodeProtectedHeader(key).kid ?? '')
    print('Valid until the signing key that made it is retired:')
    print(key)
  },
}

const own = act !== undefined && Object.hasOwn(customerActs, act) ? customerActs[act] : undefined
await runCommand(own ? (connection) => own(connection, { words, needReason, usage }) : chooseAct(acts, act, usage))

function need(given: string[], count: number): [string, string] {
  if (given.length !== count) throw new Usage(usage)
  return given as [string, string]
}

function needReason(): string {
  if (!values.reason?.trim()) throw new Error('Give a reason for the audit log: --reason <text>.')
  return values.reason.trim()
}

async function printAccounts({ db }: Connection, filter: AccountFilter): Promise<void> {
  const found = await listAccounts(db.kysely, filter)
  if (found.length === 0) print('No account matches.')
  for (const { publicId, name, ownerEmail, plan, balance, unlimited, suspended } of found) {
    const facts = [ownerEmail ?? 'nobody', name, plan ?? 'no plan', unlimited ? 'unlimited' : `${balance} credits`]
    print([publicId, ...facts, ...(suspended ? ['SUSPENDED'] : [])].join('  '))
  }
}
