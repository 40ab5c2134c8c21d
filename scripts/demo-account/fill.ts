import type { ApiKey } from '#contract/keys.ts'
import type { Database } from '#server/db/database.ts'
import { actFromCommandLine } from '#server/features/operator/acts/act-on-account.ts'
import { setRateLimit } from '#server/features/operator/acts/set-rate-limit.ts'
import { sendAsk } from './ask.ts'
import { makePartition, resetClock, setClock } from './clock.ts'
import { buyCredits, redeemFreePlan } from './purchases.ts'
import { type Robot, robots } from './robots.ts'
import { type DemoPerson, startDemoSession } from './session.ts'
import { acceptInvitation, invite } from './team.ts'

const DAYS = 90
const AT_ONCE = 8
const MORNING = 9
const dayMs = 86_400_000
const hourMs = 3_600_000

/**
 * Fills an account with 90 days of use through the product itself, in chronological order: sign-in, plan, team, keys,
 * metered calls over REST and MCP of which some fail, and credits bought at the sandbox's checkout when they run low.
 * Only the clocks of product and sandbox are moved; they are reset at the end.
 */
export async function fillDemoAccount(url: string, db: Database, email: string): Promise<{ calls: number }> {
  const midnight = Math.floor(Date.now() / dayMs) * dayMs
  const start = midnight - DAYS * dayMs
  // Access tokens are signed with the machine's time.
  const owner = await startDemoSession(url, email)
  const colleague = await startDemoSession(url, email.replace('@', '.colleague@'))
  try {
    await setClock(db, start + hourMs)
    const { apiKeys } = await owner.api<{ apiKeys: ApiKey[] }>('GET', '/api/keys')
    if (apiKeys.length > 0) throw new Error(`${email} has keys already: the demo account is filled once.`)
    await redeemFreePlan(owner)
    const keys = await renameFirst(owner, robots[0]!.name)
    await setLimit(db, email, 0)
    const account = { url, db, owner, colleague, keys, calls: 0 }
    for (let day = 0; day <= DAYS; day += 1) await live(account, day, start + day * dayMs)
    await setLimit(db, email, null)
    return { calls: account.calls }
  } finally {
    await resetClock(db)
  }
}

interface Account {
  url: string
  db: Database
  owner: DemoPerson
  /** Joins the team on an early day. */
  colleague: DemoPerson
  /** By name. */
  keys: Map<string, ApiKey>
  calls: number
}

/** The key that came with the plan. */
async function renameFirst(owner: DemoPerson, name: string): Promise<Map<string, ApiKey>> {
  const { apiKeys } = await owner.api<{ apiKeys: ApiKey[] }>('GET', '/api/keys')
  await owner.api('PUT', `/api/keys/${apiKeys[0]!.id}`, { name })
  return new Map([[name, apiKeys[0]!]])
}

/** The team's changes of one morning. */
async function change(account: Account, day: number): Promise<void> {
  const { url, owner, colleague, keys } = account
  for (const { name, since } of robots)
    if (since === day && !keys.has(name))
      keys.set(name, (await owner.api<{ apiKey: ApiKey }>('POST', '/api/keys', { name })).apiKey)
  if (day === 3) {
    await invite(owner, colleague.email, 'admin')
    await acceptInvitation(url, colleague)
  }
  if (day === 30)
    await owner.api('PUT', `/api/keys/${keys.get('Cursor')!.id}`, { scopes: ['mcp'], monthlyBudget: 5_000 })
  if (day === 61) await rotate(account, 'Research notebook')
  if (day === DAYS - 2) await invite(owner, owner.email.replace('@', '.invited@'), 'member')
}

/** A day: the robots' hours, and between them what the team changes. */
async function live(account: Account, day: number, midnight: number): Promise<void> {
  const { db, keys } = account
  await makePartition(db, midnight)
  for (let hour = 2; hour < 24; hour += 1) {
    const time = midnight + hour * hourMs + ((day * 7 + hour * 13) % 50) * 60_000
    if (time > Date.now()) return
    if (hour === MORNING) {
      await setClock(db, time)
      await change(account, day)
      await keepCredits(account, day)
    }
    const busy = robots.filter(({ name, hours }) => keys.has(name) && hours.includes(hour))
    if (busy.length === 0) continue
    await setClock(db, time)
    for (const robot of busy) await work(account, robot, day, hour)
  }
}

async function rotate({ owner, keys }: Account, name: string): Promise<void> {
  const path = `/api/keys/${keys.get(name)!.id}/rotate`
  keys.set(name, (await owner.api<{ apiKey: ApiKey }>('POST', path, { graceSeconds: 86_400 })).apiKey)
}

/** Buys a pack when credits run low; later, to keep a reserve. */
async function keepCredits({ url, owner }: Account, day: number): Promise<void> {
  const { credits } = await owner.api<{ credits: { remaining: number } }>('GET', '/api/billing/credits')
  if (credits.remaining < (day < 60 ? 300 : 7_500)) await buyCredits(url, owner)
}

/** A robot's calls of one hour: more on weekdays and over time, in waves. On two days a job asks for a renamed series. */
async function work(account: Account, robot: Robot, day: number, hour: number): Promise<void> {
  const isWeekend = new Date(Date.now() - (DAYS - day) * dayMs).getUTCDay() % 6 === 0
  if (isWeekend && !robot.daily) return
  const growth = 0.25 + (0.75 * day) / DAYS
  const wave = 1 + 0.3 * Math.sin(day / 4 + robot.since) + 0.15 * Math.sin(day * 1.7)
  const count = Math.max(1, Math.round(robot.calls * growth * wave * (isWeekend ? 0.5 : 1)))
  const key = account.keys.get(robot.name)!.unkey
  const isRenamed = robot.name === 'Nightly rebalancing' && (day === 70 || day === 71)
  const send = (n: number) => {
    const turn = day * 31 + hour * 7 + n
    const isWrong = robot.wrong !== undefined && turn % 17 === 0
    const ask =
      isRenamed && n % 3 === 0
        ? '/v1/series/OIL.CRUDE?range=max'
        : isWrong
          ? robot.wrong!
          : robot.asks[turn % robot.asks.length]!
    return sendAsk(account.url, ask, key, robot.client, isWrong || isRenamed)
  }
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => send(from + n)))
  account.calls += count
}

const setLimit = (db: Database, email: string, perMinute: number | null) =>
  actFromCommandLine(db, email, { action: 'limits.changed', reason: 'Filling the demo account' }, (tx, account) =>
    setRateLimit(tx, account, perMinute),
  )
