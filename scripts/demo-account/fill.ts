import { sql } from 'kysely'
import type { ApiKey } from '#contract/keys.ts'
import type { Database } from '#server/db/database.ts'
import { grantByOperator } from '#server/features/operator/grant.ts'
import { setRateLimit } from '#server/features/operator/set-rate-limit.ts'
import { type DemoPerson, startDemoSession } from './session.ts'

const DAYS = 90
const CALLS = 1_000
const AT_ONCE = 8
const keyNames = [
  'Backtests',
  'Claude Desktop',
  'Cursor',
  'Nightly rebalancing',
  'Research notebook',
  'Risk dashboard',
  'Excel add-in',
  'Slack bot',
  'Staging',
  'CI',
  'Mobile app',
  'Ad hoc',
]
const paths = [
  '/v1/bars/AAPL?range=1mo',
  '/v1/bars/VIX?limit=5',
  '/v1/bars/MSFT?range=3mo',
  '/v1/quotes?symbols=AAPL,MSFT',
  '/v1/bars/GE?limit=30',
]

/**
 * Fills an account with 90 days of use through the product itself: sign-in, keys, a team, a plan bought at the
 * sandbox's checkout, and real metered calls. Only the database's test clock is moved; it is reset at the end.
 */
export async function fillDemoAccount(url: string, db: Database, email: string): Promise<{ calls: number }> {
  const owner = await startDemoSession(url, email)
  const { apiKeys } = await owner.api<{ apiKeys: ApiKey[] }>('GET', '/api/keys')
  if (apiKeys.length > 0) throw new Error(`${email} has keys already: the demo account is filled once.`)
  await buyPlan(url, owner)
  await buyCredits(owner)
  await gatherTeam(url, owner)
  let calls = 0
  try {
    await moveClock(db, DAYS * 24)
    await grantByOperator(db.kysely, email, 50_000, 'Demo history')
    await setRateLimit(db.kysely, email, 0)
    const keys: string[] = []
    for (let day = DAYS - 1; day >= 0; day -= 1) {
      await makePartition(db, day)
      await moveClock(db, day * 24 + 9)
      const name = keyNames[keys.length]
      if (name && (DAYS - 1 - day) % 5 === 0) keys.push(await makeKey(owner, name))
      calls += await callFrom(url, db, keys, day)
    }
  } finally {
    await sql`delete from app_clock`.execute(db.kysely)
    await setRateLimit(db.kysely, email, null)
  }
  return { calls }
}

async function makeKey(owner: DemoPerson, name: string): Promise<string> {
  return (await owner.api<{ apiKey: ApiKey }>('POST', '/api/keys', { name })).apiKey.unkey
}

/** A day's calls: more on weekdays, growing over time, within three hours of the day, and most from the first keys. */
async function callFrom(url: string, db: Database, keys: string[], day: number): Promise<number> {
  const weekday = new Date(Date.now() - day * 86_400_000).getUTCDay() % 6 !== 0
  const growth = 0.4 + (1.2 * (DAYS - day)) / DAYS
  const wave = 1 + 0.35 * Math.sin(day / 3)
  const count = Math.round((CALLS / DAYS) * growth * wave * (weekday ? 1.15 : 0.45))
  for (let hour = 0; hour < 3; hour += 1) {
    await moveClock(db, day * 24 + 3 * (2 - hour))
    const part = Math.round(count / 3)
    for (let from = 0; from < part; from += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, part - from) }, async (_, n) => {
          const turn = from + n + hour + day
          const key = keys[Math.floor(keys.length * ((turn * 0.37) % 1) ** 2)]!
          const answer = await fetch(url + paths[turn % paths.length]!, { headers: { authorization: `Bearer ${key}` } })
          if (!answer.ok) throw new Error(`A demo call failed: ${answer.status} ${await answer.text()}`)
        }),
      )
  }
  return Math.round(count / 3) * 3
}

/** Sets the product's clock back by this many hours. */
const moveClock = (db: Database, hoursAgo: number) =>
  sql`insert into app_clock (offset_by) values (make_interval(hours => ${-hoursAgo}))
    on conflict (only_row) do update set offset_by = excluded.offset_by`.execute(db.kysely)

const makePartition = (db: Database, daysAgo: number) =>
  sql`select usage_partition_create((clock_timestamp() at time zone 'UTC')::date - ${daysAgo}::int)`.execute(db.kysely)

async function buyPlan(url: string, owner: DemoPerson): Promise<void> {
  const { plans } = await owner.api<{ plans: { name: string; priceId: string; interval: string; active: boolean }[] }>(
    'GET',
    '/api/billing/plans',
  )
  const pro = plans.find(({ name, interval, active }) => active && interval === 'month' && /pro/i.test(name))
  if (!pro) throw new Error('There is no monthly Pro plan in the catalog.')
  const checkout = await owner.api<{ url: string }>('POST', '/api/billing/checkout', { priceId: pro.priceId })
  if (!new URL(checkout.url).origin.startsWith(url)) throw new Error('The checkout is not the sandbox’s.')
  await payAt(checkout.url)
  await until('the plan is active', async () => {
    const { subscription } = await owner.api<{ subscription: { status: string } | null }>(
      'GET',
      '/api/billing/subscription',
    )
    return subscription?.status === 'active'
  })
}

/** Buys extra credits, so that there is a paid invoice: the plan's comes only when its trial ends. */
async function buyCredits(owner: DemoPerson): Promise<void> {
  const { url } = await owner.api<{ url: string }>('POST', '/api/billing/credits/topup', { packs: 2 })
  await payAt(url)
  await until('the invoice is there', async () => {
    const invoices = await owner.api<unknown[]>('GET', '/billing/invoices')
    return invoices.length > 0
  })
}

async function payAt(checkout: string): Promise<void> {
  const page = await (await fetch(checkout)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await fetch(checkout, { method: 'POST', body: new URLSearchParams({ token, outcome: 'pay' }), redirect: 'manual' })
}

/** One admin who has accepted and one open invitation. */
async function gatherTeam(url: string, owner: DemoPerson): Promise<void> {
  const [name, host] = owner.email.split('@') as [string, string]
  const colleague = `${name}.colleague@${host}`
  await owner.api('POST', '/api/team/invitations', { email: colleague, role: 'admin' })
  await owner.api('POST', '/api/team/invitations', { email: `${name}.invited@${host}` })
  let token: string | undefined
  await until('the invitation has arrived', async () => {
    const answer = await fetch(`${url}/sandbox/mail/messages?to=${encodeURIComponent(colleague)}`)
    token = /\/invitation#([\w.-]+)/.exec(await answer.text())?.[1]
    return token !== undefined
  })
  const guest = await startDemoSession(url, colleague)
  await guest.api('POST', '/api/invitations/accept', { token })
}

const WAIT_MS = 30_000

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if (await holds()) return
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error(`Waited in vain until ${what}.`)
}
