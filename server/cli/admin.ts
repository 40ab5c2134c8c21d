/** The operator's command: npm run admin -- <act> ... */
import { parseArgs } from 'node:util'
import { grantByOperator } from '../features/operator/grant.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { setRateLimit } from '../features/operator/set-rate-limit.ts'
import { type Connection, runCommand } from './connect.ts'

const usage = `npm run admin -- grant <account> <credits> [--reason <text>]
npm run admin -- limits <account> <requests per minute | unlimited | plan>
npm run admin -- loadtest [--credits <number>]

<account> is an account's id, or the e-mail address of the person whose Personal account it is.
loadtest makes an account without limits and prints its key alone on the last line.`

const LOAD_TEST_CREDITS = 1_000_000_000

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { reason: { type: 'string' }, credits: { type: 'string' } },
})
const [act, ...words] = positionals

const acts: Record<string, ((connection: Connection) => Promise<void>) | undefined> = {
  async grant({ db }) {
    const [account, credits] = need(words, 2)
    const amount = wholeNumber(credits, 'credits')
    const balance = await grantByOperator(db.kysely, account, amount, values.reason ?? '')
    console.log(`${amount} credits granted; the account has ${balance}.`)
  },
  async limits({ db }) {
    const [account, limit] = need(words, 2)
    const perMinute = limit === 'unlimited' ? 0 : limit === 'plan' ? null : wholeNumber(limit, 'requests per minute')
    await setRateLimit(db.kysely, account, perMinute)
    console.log(
      `The limit is now: ${limit === 'unlimited' ? 'none' : limit === 'plan' ? "the plan's" : `${perMinute} requests per minute`}.`,
    )
  },
  async loadtest({ db, secrets }) {
    const credits = values.credits ? wholeNumber(values.credits, 'credits') : LOAD_TEST_CREDITS
    const { accountId, key } = await makeLoadTestAccount(db.kysely, secrets, credits)
    console.log(`Account ${accountId} with ${credits} credits and no rate limit. Its key:`)
    console.log(key)
  },
}

const run = act ? acts[act] : undefined
if (run) await runCommand(run)
else {
  console.error(usage)
  process.exitCode = 2
}

function need(given: string[], count: number): [string, string] {
  if (given.length !== count) throw new Error(usage)
  return given as [string, string]
}

function wholeNumber(text: string, what: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new Error(`${what}: expected a whole number above 0, not ${text}.`)
  return value
}
