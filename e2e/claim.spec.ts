import { expect, type Page } from '@playwright/test'
import { canPay, type PaidWorld, startPaidWorld } from '#server/features/agent-payments/testing/paid-world.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { type Product, startProduct, test } from './fixtures.ts'
import { continueAs, signIn } from './sign-in.ts'

test.skip(!canPay, 'the packages of payments are not installed')

let world: PaidWorld
let shop: Product & { stop: () => Promise<void> }
test.beforeAll(async () => {
  test.setTimeout(240_000)
  world = await startPaidWorld()
  shop = await startProduct(world.env)
})
test.afterAll(async () => {
  await shop?.stop()
  await world?.stop()
})

/** An agent's new balance of $2: its link. */
async function buyLink(): Promise<string> {
  const agent = await world.payer(5_000_000n)
  const answer = await agent.fetch(`${shop.url}/v1/agent-balances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ usd: 2, idempotency_key: crypto.randomUUID() }),
  })
  expect(answer.status).toBe(201)
  return (await answer.json()).data.claim_link
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

test('a person logs in, sees what an agent bought, and owns it from then on', async ({ page }) => {
  test.setTimeout(300_000)
  const link = await buyLink()
  await page.goto(link)
  await expect(heading(page, 'Claim a balance')).toBeVisible()
  expect(page.url()).not.toContain('#')
  await expectAccessibleAtEachWidth(page, 'claim as a visitor')
  await page.getByRole('link', { name: 'Log in to continue' }).click()
  await continueAs(page, 'owner@example.com')
  const claim = page.getByRole('button', { name: 'Claim this balance' })
  await expect(claim).toBeVisible()
  await expect(heading(page, 'An agent bought these credits')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('2,000 credits left')
  await expect(page.getByRole('main').getByRole('listitem')).toContainText('2,000 credits for $2.00')
  await expectAccessibleAtEachWidth(page, 'claim')
  await claim.focus()
  await page.keyboard.press('Enter')
  // The toast comes first, and goes after 5 s, which the code of Overview may take.
  await expect(page.getByText('You own the workspace Agent balance now', { exact: true }).first()).toBeVisible()
  await expect(heading(page, 'Overview')).toBeVisible()
  await expect(page.getByRole('complementary').filter({ hasText: 'Agent balance' })).toBeVisible()

  await page.goto(link)
  await expect(heading(page, 'This balance is yours')).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'claim of mine')
  await page.getByRole('button', { name: 'Open the workspace' }).click()
  await expect(heading(page, 'Overview')).toBeVisible()
  await page.goto(`${shop.url}/dashboard/settings/audit-log`)
  await expect(page.getByRole('main')).toContainText('Balance of an agent claimed')
})

test('a link that was used and one that never was look alike to others; while it is asked about, the page says so', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000)
  const link = await buyLink()
  const first = await (await browser.newContext({ baseURL: shop.url })).newPage()
  await signIn(first, shop.url, 'first@example.com')
  await first.goto(link)
  await first.getByRole('button', { name: 'Claim this balance' }).click()
  await expect(heading(first, 'Overview')).toBeVisible()

  await signIn(page, shop.url, 'second@example.com')
  let goOn = () => {}
  const waiting = new Promise<void>((done) => {
    goOn = done
  })
  await page.route('**/api/agent-balances/preview', async (route) => {
    await waiting
    await route.continue()
  })
  await page.goto(link)
  await expect(page.getByText('Loading balance...')).toBeAttached()
  goOn()
  await expect(heading(page, 'This link is not valid')).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'claim gone')
  const used = await page.getByRole('main').textContent()
  for (const unknown of [`${link.slice(0, -2)}AA`, `${shop.url}/claim`]) {
    await page.goto('about:blank')
    await page.goto(unknown)
    await expect(heading(page, 'This link is not valid')).toBeVisible()
    // The link below the text comes when the session is known.
    await expect.poll(() => page.getByRole('main').textContent()).toBe(used)
  }
})
