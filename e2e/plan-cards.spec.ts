import { expect, type Page } from '@playwright/test'
import { openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'

/** The tops of the parts of the cards side by side: name, price, features, button. One number each if they align. */
const tops = (page: Page) =>
  page.evaluate(() => {
    const top = (one: Element | null | undefined) => Math.round(one?.getBoundingClientRect().top ?? -1)
    const lists = [...document.querySelectorAll('main li > ul')].filter(({ parentElement: card }) =>
      card?.querySelector('h2, h3'),
    )
    const row = lists.map(({ parentElement: card }) => card!).filter((card, _, all) => top(card) === top(all[0]))
    const parts = {
      name: 'h2, h3',
      price: '.text-title',
      features: ':scope > ul',
      action: 'a.w-full, button.w-full',
    }
    const found = Object.entries(parts).map(([part, selector]) => [
      part,
      [...new Set(row.map((card) => top(card.querySelector(selector))))].length,
    ])
    return { cards: row.length, ...Object.fromEntries(found) }
  })

test('plan cards side by side align in both intervals, and Save 20% stays on its side', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await expect(planCard(page, 'Pro')).toBeVisible()
  const sides: string[] = []
  for (const [path, cards] of [
    ['/dashboard/billing/', 3],
    ['/docs/pricing', 4],
  ] as const) {
    await page.goto(path)
    const choice = page.getByRole('group', { name: 'Billing' })
    for (const interval of ['Annual', 'Monthly']) {
      await choice.getByRole('button', { name: interval }).click()
      await expect(choice.getByRole('button', { name: interval, pressed: true })).toBeVisible()
      expect(await tops(page), `${path} ${interval}`).toEqual({ cards, name: 1, price: 1, features: 1, action: 1 })
    }
    const [buttons, saving] = [await choice.boundingBox(), await page.getByText('Save 20%').boundingBox()]
    sides.push(saving!.x > buttons!.x ? 'right' : 'left')
  }
  expect(sides).toEqual(['right', 'right'])
})

test('See plans leads to the plans, with the focus there: the one place to change a plan', async ({
  page,
  baseURL,
}) => {
  await openBilling(page, baseURL)
  const plans = page.getByRole('heading', { name: 'Plans', exact: true })
  for (let visit = 0; visit < 2; visit++) {
    await page.getByRole('link', { name: 'See plans' }).click()
    await expect(plans).toBeFocused()
    await expect(plans).toBeInViewport()
    await page.getByRole('link', { name: 'Invoices', exact: true }).last().focus()
  }
  await planCard(page, 'Free')
    .getByRole('button', { name: /^Redeem free plan/ })
    .click()
  const current = page.getByRole('region', { name: 'Current plan' })
  await expect(current).toContainText('Renews on')
  // Its one link leads to the invoices.
  await expect(current.locator('a:not([href$="/invoices"]), button')).toHaveCount(0)
})
