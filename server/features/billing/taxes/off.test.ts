import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { billUsage } from '../pay-as-you-go/bill-usage.ts'
import { refundInvoice } from '../refunds/refund-invoice.ts'
import { accountOf, buyCredits, buyPlan, passTime, plansByName, settleBilling, spend } from '../testing/billing.ts'
import { recordRequests, withoutChance } from '../testing/record-stripe.ts'
import { runAutoTopups } from '../topups/auto-topup.ts'

const file = join(import.meta.dirname, 'fixtures/without-taxes.json')

// Recorded before taxes existed, with RECORD=yes. Requests are compared as a set: how often an object is read depends on events.
test('with taxes off, requests to the provider and answers to customers are those of before', async () => {
  const server = await startTestServer()
  try {
    const requests = recordRequests(server.deps.stripe!.client)
    const answers: Record<string, unknown> = {}
    const buyer = await startSession(server)
    const user = await startSession(server)
    const read = async (person: typeof buyer, name: string, paths: string[]) => {
      for (const path of paths) {
        const { body } = await person.call('GET', path)
        // Those of the same second have no order.
        if (Array.isArray(body.data))
          body.data.sort((a: { amount: number }, b: { amount: number }) => a.amount - b.amount)
        answers[`${name} ${path}`] = body
      }
    }
    const billing = [
      '/api/billing/plans',
      '/api/billing/subscription',
      '/api/billing/credits/topup',
      '/api/billing/upcoming-invoice',
      '/billing/invoices',
    ]
    answers.config = await (await fetch(`${server.url}/config.json`)).json()
    const plans = await plansByName(buyer)
    await buyer.call('POST', '/api/billing/subscribe-free-plan')
    await buyPlan(server, buyer, plans.Pro)
    await buyCredits(server, buyer, 1, { saveCard: true })
    await spend(server, buyer, 105_000)
    await buyer.call('POST', '/api/billing/credits/auto-topup', {
      body: { enabled: true, threshold: 20_000, monthlyCapCents: 1_000 },
    })
    await runAutoTopups(server.deps)
    await settleBilling(server)
    answers.portal = (await buyer.call('POST', '/api/billing/portal', { body: {} })).status
    const { rows } = await server.db.pool.query(`select id from invoices where account_id = $1 and paid_cents = 1900`, [
      await accountOf(server, buyer),
    ])
    answers.refund = await refundInvoice(server.deps, {
      actId: '00000000-0000-4000-8000-000000000001',
      invoiceId: rows[0].id,
      cents: 500,
      operator: 'command line',
    })
    await settleBilling(server)
    await read(buyer, 'buyer', billing)
    await buyPlan(server, user, plans['Pay-as-you-go'])
    await spend(server, user, 4_000)
    await read(user, 'user', billing)
    const { current_period_end: end } = (await user.call('GET', '/api/billing/subscription')).body.data.subscription
    await passTime(server, Math.ceil(end - Date.now() / 1_000) + 5)
    for (let hour = 0; hour < 4; hour++) {
      await billUsage(server.deps)
      await passTime(server, 3_600)
    }
    await read(user, 'billed user', ['/billing/invoices'])
    const found = {
      requests: [...new Set(requests.map(withoutChance))].sort(),
      answers: JSON.parse(withoutChance(JSON.stringify(answers))),
    }
    if (process.env.RECORD) await writeFile(file, `${JSON.stringify(found, null, 1)}\n`)
    expect(found).toEqual(JSON.parse(await readFile(file, 'utf8')))
  } finally {
    await server.close()
  }
}, 120_000)
