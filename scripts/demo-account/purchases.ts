import type { DemoPerson } from './session.ts'
import { until } from './until.ts'

interface Balance {
  credits: { remaining: number }
}

/** The free plan, in place. */
export async function redeemFreePlan(owner: DemoPerson): Promise<void> {
  await owner.api('POST', '/api/billing/subscribe-free-plan')
}

/** A pack of credits, paid at the sandbox's checkout. */
export async function buyCredits(url: string, owner: DemoPerson): Promise<void> {
  const left = async () => (await owner.api<Balance>('GET', '/api/billing/credits')).credits.remaining
  const before = await left()
  const checkout = (await owner.api<{ url: string }>('POST', '/api/billing/credits/topup', { packs: 1 })).url
  if (new URL(checkout).origin !== new URL(url).origin) throw new Error('The checkout is not the sandbox’s.')
  const page = await (await fetch(checkout)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await fetch(checkout, { method: 'POST', body: new URLSearchParams({ token, outcome: 'pay' }), redirect: 'manual' })
  await until('the credits are there', async () => (await left()) > before)
}
