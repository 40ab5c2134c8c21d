import { expect, type Locator } from '@playwright/test'
import { test } from './fixtures.ts'
import { callsOf, chips, connected, log, message, open, say } from './playground-page.ts'

for (const [line, tool] of [
  ['oil since 2022', 'get_economic_series'],
  ['apple revenue', 'get_financials'],
  ['company AAPL', 'get_company'],
] as const)
  test(`"${line}": the question, the cost and the receipt stay in view above the answer`, async ({ page, baseURL }) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await open(page, baseURL, `view-${tool.replaceAll('_', '-')}@example.com`)
    await say(page, 'price of AAPL')
    await expect(message(page, 'get_quote returned a result')).toBeVisible()
    await say(page, line)
    const answer = log(page).locator('[data-type=success]').last()
    await expect(message(page, `${tool} returned a result`)).toBeVisible()
    // The answer is drawn: what it moves has moved.
    await expect(answer.getByRole('group', { name: 'Result view' })).toBeVisible()
    const inside = async (place: Locator) => {
      const list = (await log(page).boundingBox())!
      const { y, height } = (await place.boundingBox())!
      return [y >= list.y, y + height <= list.y + list.height]
    }
    const receipt = answer.getByRole('button', { name: 'Copy receipt ID' })
    for (const place of [message(page, line), receipt, answer.getByRole('group', { name: 'Result view' })])
      await expect.poll(() => inside(place)).toEqual([true, true])
    if (tool !== 'get_company') await expect.poll(() => inside(answer.getByRole('img'))).toEqual([true, true])
    // A low window has a lower chart.
    await page.setViewportSize({ width: 1280, height: 720 })
    if (tool === 'get_company') return
    await expect
      .poll(async () => {
        const { y, height } = (await log(page).boundingBox())!
        const [question, chart] = [await message(page, line).boundingBox(), await answer.getByRole('img').boundingBox()]
        return [question!.y >= y, chart!.y + chart!.height <= y + height]
      })
      .toEqual([true, true])
  })

test('a short answer stands at the top of the list with its question: older ones do not crowd it', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL!, 'crowd@example.com')
  await say(page, 'price of AAPL')
  await expect(message(page, 'get_quote returned a result')).toBeVisible()
  await say(page, 'add 2 + 3')
  await expect(message(page, 'add returned a result')).toBeInViewport()
  await expect(message(page, 'add 2 + 3')).toBeInViewport({ ratio: 1 })
  await expect(message(page, 'get_quote returned a result')).not.toBeInViewport()
  // Older messages get their real height late, also when that leaves the height of the whole as it was.
  await log(page)
    .locator('[data-message]')
    .first()
    .evaluate((older) => {
      older.style.height = '10px'
      older.style.overflow = 'hidden'
    })
  await expect(message(page, 'add 2 + 3')).toBeInViewport({ ratio: 1 })
  await expect(message(page, 'add returned a result')).toBeInViewport()
})

test('words that are not understood are named; the button asks without them, and only then is anything called', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL, 'left-out@example.com')
  const calls = callsOf(page)
  await say(page, 'apple news')
  await expect(
    log(page).getByText('I do not understand "news", so I have called nothing. Without it I would run:'),
  ).toBeVisible()
  expect(calls.filter((tool) => tool !== 'search_symbols')).toEqual([])
  const without = chips(page, 'Suggestions').filter({ hasText: 'apple' }).first()
  await expect(without).toHaveText(/^apple\s*from 1 credit$/)
  await without.click()
  await expect(log(page).locator('[data-type=user]').last()).toContainText('apple')
  await expect(log(page).locator('[data-type=user]').last()).not.toContainText('news')
  await expect(message(page, 'get_quote returned a result')).toBeVisible()
  expect(calls.filter((tool) => tool !== 'search_symbols')).toEqual(['get_quote'])

  await say(page, 'yahoo revenue last year')
  await expect(log(page).getByText(/^YHOO has data from \d{4}-\d\d-\d\d to 2015-12-31, so there is none/)).toBeVisible()
  expect(calls).not.toContain('get_financials')
})

test('a shop that sells its own tools suggests these; a suggestion calls one with its example or opens its form', async ({
  page,
  baseURL,
}) => {
  const schema = (city: object) => ({ type: 'object', required: ['city'], properties: { city } })
  const forecast = {
    name: 'north_forecast',
    title: 'Forecast of a city',
    inputSchema: schema({ examples: ['Berlin'] }),
  }
  const station = { name: 'north_station', title: 'Station of a city', inputSchema: schema({ type: 'string' }) }
  await page.route('**/servers/finmeter/tools', (route) => {
    const tools = [forecast, station].map((one) => ({
      ...one,
      serverName: 'finmeter',
      tokens: 9,
      credits: { credits: 2 },
    }))
    return route.fulfill({ json: { success: true, data: { tools } } })
  })
  await page.route('**/tools/north_forecast/call', (route) => {
    expect(route.request().postDataJSON().arguments).toEqual({ city: 'Berlin' })
    const rows = [11.5, 13, 12].map((temperature, day) => ({ time: `2026-11-2${day}T12:00:00Z`, temperature }))
    const result = { content: [], structuredContent: { city: 'Berlin', hours: rows } }
    const call = { durationMs: 1, protocolVersion: '2026-07-28', tokens: 1, exchanges: [] }
    return route.fulfill({ json: { success: true, data: { result, call } } })
  })
  await open(page, baseURL, 'weather@example.com')
  await expect(chips(page, 'Suggestions')).toHaveText([
    /^Forecast of a city\s*2 credits$/,
    /^Station of a city\s*opens a form$/,
  ])
  await expect(chips(page, 'Symbols')).toHaveCount(0)
  await chips(page, 'Suggestions').first().click()
  await expect(message(page, 'Forecast of a city')).toBeVisible()
  const answer = log(page).locator('[data-type=success]').last()
  await expect(answer).toContainText('Temperature12.0Nov 22, 2026')
  await expect(answer.getByRole('slider', { name: 'Temperature over time' })).toHaveAttribute(
    'aria-valuetext',
    'Nov 22, 2026, 12:00 PM UTC: 12.0',
  )
  await page.reload()
  await connected(page)
  await chips(page, 'Suggestions').last().click()
  await expect(page.getByRole('textbox', { name: 'city (required)' })).toBeVisible()
})
