import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { takenOver } from './settled.ts'

const call = (page: Page) => page.getByRole('region', { name: 'Try a call' })
const response = (page: Page) => call(page).getByRole('region', { name: 'Response' })
const json = (page: Page) => call(page).getByRole('button', { name: 'JSON', exact: true }).click()
const choose = (page: Page, name: string) => call(page).getByRole('button', { name, exact: true }).click()

async function open(page: Page, baseURL: string): Promise<void> {
  await page.goto(`${baseURL}/demo`)
  await takenOver(page)
}

test('before a call the page shows a recorded response, which is what the server answers', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL)
  await expect(call(page)).toContainText('RecordedPress Run to make the call.')
  await expect(call(page).getByText('200 OK')).toHaveCount(0)
  await expect(call(page)).toContainText('86.48US dollars per barrel · Aug 18, 2026')
  await expect(
    call(page).getByRole('img', {
      name: 'OIL.WTI, US dollars per barrel: 84.38 on Jul 20, 2026, 86.48 on Aug 18, 2026',
    }),
  ).toBeVisible()
  const real = await fetch(`${baseURL}/v1/series/OIL.WTI?range=1mo`, { headers: { authorization: 'Bearer demo' } })
  await json(page)
  expect(JSON.parse((await response(page).textContent()) ?? '')).toEqual(await real.json())
})

test('Run makes the call with the demo key, and says what it cost', async ({ page, baseURL }) => {
  await open(page, baseURL)
  const sent = page.waitForRequest((request) => request.url() === `${baseURL}/v1/series/OIL.WTI?range=1mo`)
  await choose(page, 'Run')
  expect((await sent).headers().authorization).toBe('Bearer demo')
  await expect(call(page).getByText('200 OK')).toBeVisible()
  await expect(call(page).getByText('Free', { exact: true })).toBeVisible()
  await expect(call(page)).toContainText('With the demo key a call costs nothing.')
  await expect(call(page).getByText('Recorded', { exact: true })).toHaveCount(0)
  // The same answer again has another time.
  const madeAt = () => call(page).getByRole('time').first().getAttribute('datetime')
  const before = await madeAt()
  await choose(page, 'Run')
  await expect.poll(madeAt).not.toBe(before)
  await json(page)
  expect(JSON.parse((await response(page).textContent()) ?? '').meta.as_of).toBe('2026-08-18')
})

test('another choice changes the code in every language, the chart and the response', async ({ page, baseURL }) => {
  await open(page, baseURL)
  await choose(page, 'Gold')
  await expect(
    call(page).getByRole('img', { name: /^GOLD\.USD, US dollars per troy ounce: .* 4,228(\.0+)? on Jun 2026/ }),
  ).toBeVisible()
  await expect(call(page).getByRole('button', { name: 'Gold', exact: true })).toHaveAttribute('aria-pressed', 'true')
  const code = call(page).getByRole('figure').first()
  for (const [language, part] of [
    ['curl', `curl "${baseURL}/v1/series/GOLD.USD?range=10y"`],
    ['TypeScript', 'await fetch('],
    ['Python', 'urllib.request'],
    ['MCP', '> get_economic_series {"series_id":"GOLD.USD","range":"10y"}'],
  ] as const) {
    await choose(page, language)
    await expect(code).toContainText(part)
    await expect(code).toContainText('demo')
  }
  await choose(page, 'Nvidia')
  await expect(call(page)).toContainText('215.9 BUSD · Revenue, FY 2026')
  await expect(
    call(page).getByRole('img', { name: 'NVDA revenue, USD: 27.0 B on FY 2023, 215.9 B on FY 2026' }),
  ).toBeVisible()
  await json(page)
  await expect(response(page)).toContainText('"net_income": 120067000000')
})

test('every row of suggestions is full', async ({ page, baseURL }) => {
  await open(page, baseURL)
  for (const [width, inRow] of [
    [1280, 3],
    [360, 2],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    const tops = await call(page)
      .getByRole('group', { name: 'What to ask for' })
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top))
    for (const top of tops) expect(tops.filter((other) => other === top)).toHaveLength(inRow)
  }
})

test('a company is found by its name; what is not found says what to try', async ({ page, baseURL }) => {
  await open(page, baseURL)
  const search = call(page).getByRole('textbox', { name: 'Search symbols and companies' })
  await search.fill('pfizer')
  await search.press('Enter')
  await expect(call(page).getByRole('figure').first()).toContainText('/v1/financials/PFE')
  await expect(call(page)).toContainText('PFE · Pfizer')
  await search.fill('zzzzzz')
  await choose(page, 'Find')
  await expect(call(page).getByRole('alert')).toHaveText(
    'Nothing found for “zzzzzz”. Try a ticker such as MSFT, a company, or a word such as gold.',
  )
  await choose(page, 'Natural gas')
  await expect(call(page).getByRole('alert')).toHaveCount(0)
})

test('a refusal is shown as the API sends it, and no answer leads to a way forward', async ({ page, baseURL }) => {
  await open(page, baseURL)
  await page.route('**/v1/series/GOLD.USD*', (route) =>
    route.fulfill({ status: 429, headers: { 'x-credits-charged': '0' }, json: { code: 'rate_limited' } }),
  )
  await choose(page, 'Gold')
  await expect(call(page).getByText('429 Too many requests')).toBeVisible()
  await expect(response(page)).toContainText('"code": "rate_limited"')
  await page.route('**/v1/series/US.RATE10Y*', (route) => route.abort())
  await choose(page, '10-year yield')
  await expect(call(page).getByRole('alert')).toHaveText('The server did not answer. Try again.')
  // The last answer stays.
  await expect(response(page)).toContainText('rate_limited')
})

test('of two quick choices the later one is shown, whichever answers first', async ({ page, baseURL }) => {
  await open(page, baseURL)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/series/GOLD.USD*', async (route) => {
    await held
    await route.continue().catch(() => {})
  })
  await choose(page, 'Gold')
  await choose(page, 'Dollar in euros')
  await expect(call(page).getByRole('img', { name: /^FX\.USDEUR, / })).toBeVisible()
  release()
  await expect(call(page).getByRole('img', { name: /^FX\.USDEUR, / })).toBeVisible()
})

test('without a script the home page shows the recorded response and the data with dates', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL })
  const page = await context.newPage()
  await page.goto('/demo')
  await expect(call(page)).toContainText('86.48US dollars per barrel · Aug 18, 2026')
  await expect(call(page).getByRole('img', { name: /^OIL\.WTI, / })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByRole('listitem').filter({ hasText: 'Crude oil spot prices' })).toContainText(
    'Up to Aug 18, 2026',
  )
  await expect(main.getByRole('listitem').filter({ hasText: 'Cboe Volatility Index' })).toContainText('Sample')
  await expect(main.getByRole('link', { name: 'Set up a client' })).toHaveAttribute('href', '/docs/mcp-clients')
  await context.close()
})

test('the picture of Overview follows the theme, and only that one is loaded', async ({ browser, baseURL }) => {
  const overview = (page: Page) => page.getByRole('img', { name: /^The Overview page of a demonstration account/ })
  const shows = (page: Page, theme: string) =>
    expect
      .poll(() =>
        overview(page).evaluate(({ complete, naturalWidth, currentSrc }: HTMLImageElement) => [
          complete && naturalWidth,
          /overview-(light|dark)/.exec(currentSrc)?.[1],
        ]),
      )
      .toEqual([1200, theme])
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ baseURL: baseURL!, colorScheme })
    const page = await context.newPage()
    const loaded: string[] = []
    page.on('request', (request) => {
      const theme = /overview-(light|dark)/.exec(request.url())?.[1]
      if (theme) loaded.push(theme)
    })
    await page.goto('/demo')
    await takenOver(page)
    await overview(page).scrollIntoViewIfNeeded()
    await shows(page, colorScheme)
    expect(loaded).toEqual([colorScheme])
    const other = colorScheme === 'light' ? 'dark' : 'light'
    await page.evaluate((theme) => localStorage.setItem('finmeter.theme', theme), other)
    await page.reload()
    await overview(page).scrollIntoViewIfNeeded()
    await shows(page, other)
    await context.close()
  }
})

test('home with an answer: axe, at each width', async ({ page }) => {
  await page.goto('/demo')
  await takenOver(page)
  await choose(page, 'Gold')
  await expect(call(page).getByRole('img', { name: /^GOLD/ })).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'home with an answer')
})
