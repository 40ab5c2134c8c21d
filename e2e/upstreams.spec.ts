import { expect, type Page } from '@playwright/test'
import { sellAcme } from './acme.ts'
import { expectAccessible, lookName, looks } from './axe.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const itemOf = (page: Page, tool: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name: `Test ${tool}`, exact: true }) })

async function inEveryLook(page: Page, state: string): Promise<void> {
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize({ width: look.width, height: 800 })
    if (process.env.SHOTS)
      await page.screenshot({
        path: `${process.env.SHOTS}/${state}-${look.colorScheme}-${look.width}.png`,
        fullPage: true,
      })
    const belowFooter = await page.evaluate(
      () =>
        document.documentElement.scrollHeight -
        scrollY -
        document.querySelector('footer')!.getBoundingClientRect().bottom,
    )
    expect(belowFooter, `${state} goes on below the footer`).toBeLessThanOrEqual(1)
    await expectAccessible(page, `${state}, ${lookName(look)}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('operations of an upstream: forms and prices in the playground, and a reference page that runs a call', async ({
  page,
  baseURL,
  product,
}) => {
  const { upstream, end } = await sellAcme(product.dir)
  try {
    await signIn(page, baseURL, 'acme-customer@example.com')
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    await expect(page.getByText('Free plan activated!', { exact: true })).toBeVisible()
    const log = page.getByRole('log')
    const openTools = async () => {
      await page.getByRole('button', { name: 'Tools', exact: true }).click()
      await page.getByRole('searchbox', { name: 'Search tools' }).fill('acme')
    }
    const openForm = async (tool: string) => {
      await itemOf(page, tool).getByRole('button', { name: 'Test with arguments' }).click()
      return itemOf(page, tool)
    }
    const calls: [tool: string, price: string, fill: Record<string, string>, result: RegExp, left: string][] = [
      ['acme_get_price', '2 credits', { 'symbol (required)': 'ACME', interval: 'week' }, /12\.5/, '998'],
      [
        'acme_place_order',
        '3 credits',
        {
          'account.id (required)': '42',
          'account.note': 'first',
          'lines (required)': '[{"symbol":"ACME","count":2}]',
          tags: 'a, b',
        },
        /7001/,
        '995',
      ],
      ['acme_search', '1 credit per 2 rows, 10 credits at most', { 'q (required)': 'ac' }, /ACMZ/, '992'],
      ['acme_watch', '4 credits', {}, /12\.75/, '988'],
    ]
    await page.goto(`${baseURL}/dashboard/playground/`)
    await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
    for (const [tool, price, fill, result, left] of calls) {
      await openTools()
      await expect(itemOf(page, tool)).toContainText(`${price} ·`)
      const form = await openForm(tool)
      for (const [label, value] of Object.entries(fill)) {
        const input = form.getByLabel(label, { exact: true })
        if ((await input.evaluate((element) => element.tagName)) === 'SELECT') await input.selectOption(value)
        else await input.fill(value)
      }
      await form.getByRole('button', { name: 'Call', exact: true }).click()
      await expect(log).toContainText(result)
      await expect(log.getByText(`${left} credits left`)).toBeVisible()
    }
    expect(upstream.seen.map(({ method, url, body }) => [method, url, body && JSON.parse(body)])).toEqual([
      ['GET', '/prices/ACME?interval=week', ''],
      [
        'POST',
        '/orders',
        { account: { id: 42, note: 'first' }, lines: [{ symbol: 'ACME', count: 2 }], tags: ['a', 'b'] },
      ],
      ['GET', '/search?q=ac', ''],
      ['GET', '/ticks', ''],
    ])
    await inEveryLook(page, 'results')
    await openTools()
    for (const [tool] of calls) await openForm(tool)
    await inEveryLook(page, 'forms')

    await page.goto(`${baseURL}/docs/quick-start`)
    await page.getByRole('navigation').getByRole('link', { name: 'Place an order' }).first().click()
    await expect(page).toHaveURL(`${baseURL}/docs/reference/acme_place_order`)
    const beside = page.getByRole('region', { name: 'Request and response' })
    await expect(beside).toContainText('Costs 3 credits')
    await beside.getByRole('button', { name: 'Run' }).click()
    await expect(beside.getByText('201')).toBeVisible()
    await inEveryLook(page, 'reference')
    await page.goto(`${baseURL}/docs/upstreams/acme`)
    await inEveryLook(page, 'upstream')
  } finally {
    await end()
  }
})
