import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { answer, hold } from './answers.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { signIn, signInWithPlan } from './sign-in.ts'

const address = () => `try-${randomUUID().slice(0, 8)}@example.com`
const beside = (page: Page) => page.getByRole('region', { name: 'Request and response' })
const run = (page: Page) => beside(page).getByRole('button', { name: 'Run' })
const json = (page: Page) => beside(page).getByRole('button', { name: 'JSON', exact: true }).click()
const shownCode = (page: Page) => beside(page).getByRole('tabpanel', { name: 'curl' })

test('without a session the demo key runs the call; the response replaces the sample', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/reference/get_economic_series`)
  await expect(beside(page).getByText('With your key: 1 credit', { exact: false })).toBeVisible()
  await expect(beside(page)).toContainText('Free on this page, with the public demo key. Log in to use your own.')
  await expect(beside(page).getByText('shortened to the first rows')).toBeVisible()
  await page.getByLabel('range', { exact: true }).selectOption('1y')
  await expect(shownCode(page)).toContainText(`${baseURL}/v1/series/OIL.WTI?range=1y`)
  await page.getByLabel('id', { exact: true }).press('Enter')
  await expect(beside(page).getByText('200 OK')).toBeVisible()
  await expect(beside(page).getByText('Free', { exact: true })).toBeVisible()
  await expect(beside(page).getByText('shortened to the first rows')).toBeHidden()
  await expect(beside(page)).toContainText('86.48US dollars per barrel · Aug 18, 2026')
  await json(page)
  const rows = /"row_count": (\d+)/.exec(
    (await beside(page).getByRole('region', { name: 'Response body' }).textContent())!,
  )
  expect(Number(rows?.[1])).toBeGreaterThan(200)
})

test('Run cannot be pressed before its script has come', async ({ page, baseURL }) => {
  const release = await hold(page, '**/*.js')
  await page.goto(`${baseURL}/docs/reference/get_bars`, { waitUntil: 'commit' })
  await expect(run(page)).toBeDisabled()
  release()
  await expect(run(page)).toBeEnabled()
})

test('prices are drawn as candles with title and unit, in view after Run; line, table and JSON are one click away', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  await run(page).click()
  const chart = beside(page).getByRole('img', { name: /^VIX price, USD: open [\d.]+, .* on Jul 23, 2026$/ })
  await expect(chart).toBeInViewport({ ratio: 1 })
  await expect(beside(page)).toContainText('18.70USD · Jul 23, 2026')
  const slider = beside(page).getByRole('slider', { name: 'VIX price over time' })
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute(
    'aria-valuetext',
    /^Jun 24, 2026: open 19\.13, high 20\.34, low 18\.04, close 18\.63$/,
  )
  await beside(page).getByRole('button', { name: 'Table', exact: true }).click()
  await expect(beside(page).getByRole('columnheader')).toHaveText(['Date', 'Open', 'High', 'Low', 'Close', 'Volume'])
  await json(page)
  await expect(beside(page).getByRole('region', { name: 'Response body' })).toContainText('"close": 18.63')
})

test("a reader's own key runs the call, with its cost and receipt, and is never in the address", async ({
  page,
  baseURL,
}) => {
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(frame.url()))
  await signInWithPlan(page, baseURL, address(), '/docs/reference/price_option')
  await expect(beside(page)).toContainText('Runs with your key “Default”.')
  await page.getByLabel('spot', { exact: true }).fill('50')
  await expect(shownCode(page)).toContainText('"spot":50')
  await expect(shownCode(page)).toContainText(/Bearer fm_\w{5}•{12}"/)
  const sent = page.waitForRequest('**/v1/options/price')
  await run(page).click()
  expect((await sent).postDataJSON()).toEqual({
    type: 'call',
    spot: 50,
    strike: 40,
    days: 182.5,
    rate: 0.1,
    volatility: 0.2,
  })
  await expect(beside(page).getByText('200 OK')).toBeVisible()
  for (const words of ['1 credit', '999 credits left'])
    await expect(beside(page).getByText(words, { exact: true })).toBeVisible()
  await expect(beside(page).getByText(/^rcpt_/)).toBeVisible()
  expect(page.url()).toContain('spot=50')
  expect([...visited, page.url()].join(' ')).not.toContain('fm_')
  expect(await page.content()).not.toMatch(/fm_\w{38}/)
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain('fm_')
})

test('a shared address restores the form; the example has the plain address', async ({ page, baseURL, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${baseURL}/docs/reference/get_bars?ref=mail`)
  // The script of the form, which may come after the page: what is typed before is not heard.
  await expect(run(page)).toBeEnabled()
  await page.getByLabel('symbol', { exact: true }).fill('SPX')
  await page.getByLabel('range', { exact: true }).selectOption('')
  await page.getByLabel('limit', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied to clipboard')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(`${baseURL}/docs/reference/get_bars?ref=mail&symbol=SPX&limit=2`)

  await page.goto(link)
  await expect(page.getByLabel('symbol', { exact: true })).toHaveValue('SPX')
  await expect(page.getByLabel('range', { exact: true })).toHaveValue('')
  await expect(shownCode(page)).toContainText(`${baseURL}/v1/bars/SPX?limit=2"`)
  await run(page).click()
  await json(page)
  await expect(beside(page).getByRole('region', { name: 'Response body' })).toContainText('"row_count": 2')
  await page.getByRole('button', { name: 'Reset to the example' }).click()
  await expect(page).toHaveURL(`${baseURL}/docs/reference/get_bars?ref=mail`)
  await expect(shownCode(page)).toContainText('/v1/bars/VIX?range=1mo')
})

test('errors are shown as the API describes them, with the field and the page about them', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/docs/reference/get_bars?symbol=NOPE`)
  await run(page).click()
  await expect(beside(page).getByText('404 Not found')).toBeVisible()
  await expect(beside(page)).toContainText('urn:finmeter:error:unknown_symbol NOPE is not in the catalog.')
  await expect(page.getByLabel('symbol', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(beside(page).getByRole('link', { name: 'About this error' })).toHaveAttribute(
    'href',
    '/docs/errors/unknown_symbol',
  )
  await page.getByLabel('symbol', { exact: true }).fill('')
  await run(page).click()
  await expect(page.getByLabel('symbol', { exact: true })).toBeFocused()

  await page.goto(`${baseURL}/docs/reference/screen_stocks`)
  await page.getByLabel('filters', { exact: true }).fill('[{')
  await run(page).click()
  await expect(beside(page)).toContainText('A field needs valid JSON')
  await page.route('**/v1/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Reset to the example' }).click()
  await run(page).click()
  await expect(beside(page)).toContainText('The server did not respond. Try again.')
})

test('a refused key and missing credits are shown', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const value = `fm_00001${'a'.repeat(33)}`
  await page.route('**/api/keys', answer({ apiKeys: [{ id: '1', name: 'Gone', unkey: value, apiKey: value }] }))
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  await expect(beside(page)).toContainText('Runs with your key “Gone”.')
  await run(page).click()
  await expect(beside(page)).toContainText('urn:finmeter:error:key_invalid')
  await page.route('**/v1/bars/**', (route) =>
    route.fulfill({
      status: 402,
      json: { type: 'urn:finmeter:error:insufficient_credits', detail: 'This account has no credits left.' },
    }),
  )
  await run(page).click()
  await expect(beside(page).getByText('402 No credits left')).toBeVisible()
  await expect(beside(page)).toContainText('This account has no credits left.')
})

test('two columns from 900 px, with the request in view beside the last parameter', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 900, height: 800 })
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  const left = async (name: string) => (await page.getByRole('heading', { name, exact: true }).boundingBox())!.x
  expect(await left('Request')).toBeGreaterThan((await left('Parameters')) + 300)
  await page.getByLabel('cursor', { exact: true }).focus()
  await expect(run(page)).toBeInViewport()
  await page.setViewportSize({ width: 899, height: 800 })
  expect(await left('Request')).toBe(await left('Parameters'))
})

test('on a narrow screen Run is in sight from the start, with what the call needs before its response', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of ['/docs/reference/get_bars', '/docs/reference/screen_stocks', '/docs/getting-started']) {
    await page.goto(baseURL + path)
    await expect(run(page)).toBeInViewport({ ratio: 1 })
  }
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  const top = async (label: string) => (await page.getByLabel(label, { exact: true }).boundingBox())!.y
  const response = (await page.getByRole('heading', { name: 'Response', exact: true }).boundingBox())!.y
  expect(await top('symbol')).toBeLessThan(response)
  expect(await top('limit')).toBeGreaterThan(response)
  await page.getByLabel('limit', { exact: true }).fill('2')
  await expect(run(page)).toBeInViewport({ ratio: 1 })
  await run(page).click()
  await json(page)
  await expect(beside(page).getByRole('region', { name: 'Response body' })).toContainText('"row_count": 2')
  await expect(beside(page).getByText('200 OK')).toBeInViewport()
})

test('what has only one value is said, and is no control', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  for (const [name, value] of [
    ['session', 'regular'],
    ['fill', 'none'],
  ]) {
    await expect(page.getByText(`query, always ${value}`)).toBeVisible()
    await expect(page.locator(`[name=${name}]`)).toHaveCount(0)
  }
})

test('without a script there are no dead controls', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${baseURL}/docs/reference/get_bars`)
  await expect(page.getByText('Length of a bar;', { exact: false })).toBeVisible()
  await expect(page.locator('main :is(input, select, textarea):visible')).toHaveCount(0)
  for (const name of ['Run', 'Copy link', 'Reset to the example'])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await context.close()
})

test('a reference page with its response has no accessibility violations, at each width', async ({ page }) => {
  await page.goto('/docs/reference/get_bars?symbol=NOPE')
  await run(page).click()
  await expect(beside(page).getByText('404 Not found')).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'reference, refused')
  for (const tool of ['get_bars', 'screen_stocks']) {
    await page.goto(`/docs/reference/${tool}`)
    await run(page).click()
    await expect(beside(page).getByText('200 OK')).toBeVisible()
    await expectAccessibleAtEachWidth(page, `reference, ${tool}`)
    await json(page)
    await expectAccessibleAtEachWidth(page, `reference, ${tool} as JSON`)
  }
})
