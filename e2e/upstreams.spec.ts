import { expect, type Page } from '@playwright/test'
import { sellAcme } from './acme.ts'
import { expectAccessible, widths } from './axe.ts'
import { test } from './fixtures.ts'
import { signInWithPlan } from './sign-in.ts'

const itemOf = (page: Page, tool: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name: `Test ${tool}`, exact: true }) })

/** One call of each kind, by its form. `left` of the 1,000 credits of the free plan. */
const calls = [
  {
    tool: 'acme_get_price',
    price: '2 credits',
    inputs: { 'symbol (required)': 'ACME', interval: 'week' },
    result: '12.5',
    charged: '2 credits',
    left: 998,
  },
  {
    tool: 'acme_place_order',
    price: '3 credits',
    inputs: {
      'account.id (required)': '42',
      'account.note': 'first',
      'lines (required)': '[{"symbol":"ACME","count":2}]',
      tags: 'a, b',
    },
    result: '7001',
    charged: '3 credits',
    left: 995,
  },
  {
    tool: 'acme_search',
    price: '1 credit per 2 rows, 10 credits at most',
    inputs: { 'q (required)': 'ac' },
    result: 'ACMZ',
    charged: '3 credits',
    left: 992,
  },
  { tool: 'acme_watch', price: '4 credits', inputs: {}, result: '12.75', charged: '4 credits', left: 988 },
]

async function atEachWidth(page: Page, state: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const belowFooter = await page.evaluate(
      () =>
        document.documentElement.scrollHeight -
        scrollY -
        document.querySelector('footer')!.getBoundingClientRect().bottom,
    )
    expect(belowFooter, `${state} goes on below the footer`).toBeLessThanOrEqual(1)
    await expectAccessible(page, state)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

test.describe('operations of an upstream', () => {
  let acme: Awaited<ReturnType<typeof sellAcme>>
  test.beforeAll(async ({ product }) => {
    acme = await sellAcme(product.dir)
  })
  test.afterAll(() => acme?.end())

  test.beforeEach(async ({ page, baseURL }, { testId }) => {
    await signInWithPlan(page, baseURL!, `${testId}@example.com`)
  })

  test('in the playground: prices before, forms for all inputs, charges and receipts after', async ({
    page,
    baseURL,
  }) => {
    const log = page.getByRole('log')
    const openTools = async () => {
      await page.getByRole('button', { name: 'Tools', exact: true }).first().click()
      await page.getByRole('searchbox', { name: 'Search tools' }).fill('acme')
    }
    const openForm = async (tool: string) => {
      await itemOf(page, tool).getByRole('button', { name: 'Test with arguments' }).click()
      return itemOf(page, tool)
    }
    await page.goto(`${baseURL}/dashboard/playground/`)
    await expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
    for (const { tool, price, inputs, result, charged, left } of calls) {
      await openTools()
      await expect(itemOf(page, tool).getByText(price, { exact: true })).toBeVisible()
      const form = await openForm(tool)
      for (const [label, value] of Object.entries(inputs)) {
        const input = form.getByLabel(label, { exact: true })
        if (label === 'interval') await input.selectOption(value)
        else await input.fill(value)
      }
      await form.getByRole('button', { name: 'Run', exact: true }).click()
      const answer = form.getByRole('region', { name: `Answer of ${tool}` })
      await expect(answer).toContainText(result)
      for (const words of [charged, `${left} credits left`])
        await expect(answer.getByText(words, { exact: true })).toBeVisible()
    }
    await page.getByRole('button', { name: 'Chat', exact: true }).click()
    await expect(log.getByRole('button', { name: 'Copy receipt ID' })).toHaveCount(calls.length)
    expect(acme.upstream.seen.map(({ method, url, body }) => [method, url, body && JSON.parse(body)])).toEqual([
      ['GET', '/prices/ACME?interval=week', ''],
      [
        'POST',
        '/orders',
        { account: { id: 42, note: 'first' }, lines: [{ symbol: 'ACME', count: 2 }], tags: ['a', 'b'] },
      ],
      ['GET', '/search?q=ac', ''],
      ['GET', '/ticks', ''],
    ])
    await atEachWidth(page, 'results')
    await openTools()
    for (const { tool } of calls) await openForm(tool)
    await atEachWidth(page, 'forms')
  })

  test('in the documentation: a page in the navigation, whose form runs a call', async ({ page, baseURL }) => {
    await page.goto(`${baseURL}/docs/getting-started`)
    await page.getByRole('navigation').getByRole('link', { name: 'Place an order for several symbols' }).first().click()
    await expect(page).toHaveURL(`${baseURL}/docs/reference/acme_place_order`)
    const beside = page.getByRole('region', { name: 'Request and response' })
    await expect(beside).toContainText('With your key: 3 credits per call')
    await page.getByLabel('lines', { exact: true }).fill('[{"symbol":"ACME","count":5}]')
    await page.getByLabel('account', { exact: true }).fill('{"id":42}')
    await beside.getByRole('button', { name: 'Run' }).click()
    await expect(beside.getByText('201', { exact: true })).toBeVisible()
    for (const words of ['3 credits', '997 credits left'])
      await expect(beside.getByText(words, { exact: true })).toBeVisible()
    await expect(beside.getByText(/^rcpt_/)).toBeVisible()
    await expect(beside.getByRole('cell', { name: '7001' })).toBeVisible()
    await beside.getByRole('button', { name: 'JSON', exact: true }).click()
    await expect(beside.getByRole('region', { name: 'Response body' })).toContainText('"order": 7001')
    expect(JSON.parse(acme.upstream.seen.at(-1)!.body)).toEqual({
      account: { id: 42 },
      lines: [{ symbol: 'ACME', count: 5 }],
    })
    await atEachWidth(page, 'reference')
    await page.goto(`${baseURL}/docs/upstreams/acme`)
    await expect(page.getByRole('row', { name: /Find symbols/ })).toContainText('1 credit per 2 rows')
    await atEachWidth(page, 'upstream')
  })
})
