import { expect, type Page } from '@playwright/test'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { callsOf, chips, connected, field, log, message, open, path, say } from './playground-page.ts'
import { signIn } from './sign-in.ts'

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('a conversation: the user on the right in a bubble, responses on the left without one; time and copy on focus', async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, baseURL, 'sides@example.com')
  await say(page, 'inflation since 2020')
  await expect(message(page, 'get_economic_series returned a result')).toBeVisible()
  const list = (await log(page).boundingBox())!
  const asked = message(page, 'inflation since 2020')
  const bubble = (await asked.boundingBox())!
  expect(bubble.x).toBeGreaterThan(list.x + list.width / 2)
  expect(bubble.width).toBeLessThan(list.width / 2)
  const answer = log(page).locator('[data-type=success]').last()
  expect(await answer.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgba(0, 0, 0, 0)')
  const tools = log(page).locator('[data-type=user] time').locator('..')
  const opacity = () => tools.evaluate((one) => Number(getComputedStyle(one).opacity))
  await page.mouse.move(0, 0)
  await expect.poll(opacity).toBe(0)
  await log(page).locator('[data-type=user]').getByRole('button', { name: 'Copy message' }).focus()
  await expect.poll(opacity).toBe(1)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Copied to clipboard', { exact: true })).toBeVisible()
  expect(await clipboard(page)).toBe('inflation since 2020')

  await page.setViewportSize({ width: 2400, height: 900 })
  const wide = (await message(page, 'get_economic_series returned a result').boundingBox())!
  expect(wide.width).toBeLessThanOrEqual(45 * 16)
})

test('a question that is sent before the tools are known waits for them', async ({ page, baseURL }) => {
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await open(page, baseURL!, 'early-question@example.com')
  await page.route(/\/servers\/[^/]+\/tools$/, async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  const calls = callsOf(page)
  await say(page, 'oil since 2022')
  await expect(message(page, 'oil since 2022')).toBeVisible()
  expect(calls).toEqual([])
  release()
  await expect(message(page, 'get_economic_series returned a result')).toBeVisible()
  expect(calls).toEqual(['search_symbols', 'get_economic_series'])
})

test('in forced colors each kind of message still has its own icon, in a system color', async ({ page, baseURL }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await open(page, baseURL, 'forced@example.com')
  await say(page, 'add 1 + 2')
  await expect(message(page, 'add returned a result')).toBeVisible()
  await say(page, 'price of APPL')
  const seen = new Set<string>()
  for (const type of ['user', 'system', 'success', 'error']) {
    const icon = log(page).locator(`[data-type=${type}] header svg`).first()
    await expect(icon).toBeVisible()
    const { color, ground } = await icon.evaluate((one) => ({
      color: getComputedStyle(one).stroke,
      ground: getComputedStyle(document.body).backgroundColor,
    }))
    expect(color).not.toBe(ground)
    seen.add((await icon.innerHTML()).replace(/\s+/g, ''))
  }
  expect(seen.size).toBe(4)
  const border = await message(page, 'add 1 + 2').evaluate((one) => getComputedStyle(one).borderTopWidth)
  expect(border).toBe('1px')
})

test('an empty chat suggests what the data can answer, with prices; a response suggests what comes next', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL, 'ideas@example.com')
  const calls = callsOf(page)
  await expect(page.getByRole('heading', { name: 'Ask about the data on this server' })).toBeInViewport()
  await expect(chips(page, 'Suggestions').first()).toHaveText(/^oil since 2022\s*1 credit$/)
  await expect(chips(page, 'Suggestions').filter({ hasText: 'compare' })).toContainText('2 credits')
  await expect(chips(page, 'Symbols').first()).toHaveText('OIL.WTI')
  await expect(chips(page, 'Symbols').filter({ hasText: 'VIX' })).toContainText('sample')
  expect(calls).toEqual([])

  await chips(page, 'Symbols').filter({ hasText: 'GOLD.USD' }).click()
  await expect(field(page)).toHaveValue('GOLD.USD ')
  await expect(field(page)).toBeFocused()
  await say(page, 'price of AAPL')
  await expect(message(page, 'get_quote returned a result')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Ask about the data on this server' })).toBeHidden()
  const next = chips(page, 'Follow-up questions')
  await next.filter({ hasText: 'Compare with ...' }).click()
  await expect(field(page)).toHaveValue('compare AAPL with ')
  await next.filter({ hasText: '1 year chart' }).click()
  await expect(message(page, 'get_bars returned a result')).toBeVisible()
  await expect(page.getByRole('slider', { name: 'close over time' })).toBeVisible()
})

test('without a plan the chat says before a call that credits are missing, and leads to the plans', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, 'no-plan@example.com', '/dashboard/playground')
  const missing = page.getByText('No credits yet. Only free tools work.', { exact: true })
  await expect(missing).toBeVisible()
  await say(page, 'time')
  await expect(message(page, 'timestamp returned a result')).toBeVisible()
  await page.getByRole('link', { name: 'Choose a plan' }).click()
  await expect(page).toHaveURL(/\/dashboard\/billing/)
  await expect(page.getByRole('heading', { name: 'Plans', exact: true })).toBeFocused()
  await page.getByRole('button', { name: /^Redeem free plan/ }).click()
  await expect(page.getByRole('heading', { name: 'Free', exact: true })).toBeFocused()
  await page.goto('/dashboard/playground')
  await expect(chips(page, 'Suggestions').first()).toBeVisible()
  await expect(missing).toHaveCount(0)
})

test('suggestions follow what is published', async ({ page, baseURL }) => {
  await page.route('**/servers/finmeter/resources', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    body.data.resources = [
      { uri: 'dataset://us-cpi', name: 'us-cpi' },
      { uri: 'dataset://acme', name: 'acme' },
    ]
    await route.fulfill({ response: answer, json: body })
  })
  await page.route('**/servers/finmeter/resources/get', (route) => {
    const contents = [{ uri: 'dataset://acme', text: JSON.stringify({ id: 'acme', kind: 'bars', symbols: ['ACME'] }) }]
    const call = { durationMs: 1, protocolVersion: '2026-07-28', tokens: 1, exchanges: [] }
    return route.fulfill({ json: { success: true, data: { contents, call } } })
  })
  await open(page, baseURL, 'published@example.com')
  await expect(chips(page, 'Suggestions')).toHaveText([/^chart ACME over 1 year/, /^inflation/])
  await expect(chips(page, 'Symbols')).toHaveText(['ACME', 'US.CPI'])
})

test('typing a name offers symbols from the free search, once, and silently for other tabs', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL, 'typing@example.com')
  const second = await page.context().newPage()
  await second.goto(`${baseURL}${path}`)
  await connected(second)
  const calls = callsOf(page)
  await field(page).fill('price of micro')
  const matches = chips(page, 'Matching symbols')
  await expect(matches.first()).toContainText('MSFT')
  await expect(page.getByText(/^\d symbols? match(es)?\. Press the down arrow to choose\.$/)).toBeAttached()
  await field(page).pressSequentially('soft')
  await expect(matches).toHaveText([/^MSFT/])
  await field(page).press('ArrowDown')
  await expect(matches.first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(field(page)).toHaveValue('price of MSFT ')
  await expect(matches).toHaveCount(0)
  await field(page).press('Enter')
  await expect(message(page, 'get_quote returned a result')).toBeVisible()
  expect(calls.filter((tool) => tool !== 'get_quote')).toEqual(['search_symbols', 'search_symbols'])
  await expect(message(second, 'get_quote returned a result')).toBeVisible()
  await expect(message(second, 'search_symbols returned a result')).toHaveCount(0)
})

test('every response has its cost, balance and receipt, and leads to its log entry; a refusal was not charged', async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, baseURL, 'costs@example.com')
  const answered = page.waitForResponse(/tools\/get_economic_series\/call$/)
  await say(page, 'oil since 2022')
  const { result } = (await (await answered).json()).data
  const answer = log(page).locator('[data-type=success]', { hasText: 'get_economic_series' })
  await expect(answer.getByText('1 credit', { exact: true })).toBeVisible()
  await expect(answer.getByText('999 credits left', { exact: true })).toBeVisible()
  const receipt: string = result._meta['finmeter/receipt-id']
  expect(receipt.length).toBeGreaterThan(10)
  await answer.getByTitle(receipt).click()
  await expect(page.getByText('Receipt ID copied to clipboard', { exact: true })).toBeVisible()
  expect(await clipboard(page)).toBe(receipt)

  await say(page, 'price of APPL')
  const refused = log(page).locator('[data-type=error]').last()
  await expect(refused).toContainText('Did you mean AAPL?')
  await expect(refused.getByText('Not charged', { exact: true })).toBeVisible()
  await expect(chips(page, 'Follow-up questions').first()).toContainText('price of AAPL')
  await say(page, 'time')
  await expect(log(page).locator('[data-type=success]').last().getByText('Free', { exact: true })).toBeVisible()

  await answer.getByRole('button', { name: 'View in log' }).click()
  await expect(page.getByRole('heading', { name: 'Tools', level: 2 })).toBeVisible()
  const entry = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Call again: get_economic_series' }) })
  await expect(entry).toBeFocused()
  await expect(entry).toContainText('1 credit')
})

test('a response begins with its figure; the table is one click away, with readable headers and numbers on the right', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL, 'figures@example.com')
  await say(page, 'candles VIX over 3 months')
  const answer = log(page).locator('[data-type=success]').last()
  await expect(answer.getByText('VIX', { exact: true })).toBeVisible()
  await expect(answer).toContainText(/(Up|Down) [\d.]+ \([\d.]+%\)\s*since \w{3} \d+, 2026/)
  const chart = answer.getByRole('slider', { name: 'VIX price over time' })
  await expect(chart).toHaveAttribute(
    'aria-valuetext',
    /^Jul 23, 2026: open [\d.]+, high [\d.]+, low [\d.]+, close [\d.]+$/,
  )
  await answer.getByRole('button', { name: 'Line', exact: true }).click()
  await expect(answer.getByRole('slider', { name: 'close over time' })).toBeVisible()
  const table = answer.getByRole('group', { name: 'Result, table' })
  await expect(table).toHaveCount(0)
  await answer.getByRole('button', { name: 'Table', exact: true }).click()
  await expect(table.getByRole('columnheader')).toHaveText(['Date', 'Open', 'High', 'Low', 'Close', 'Volume'])
  expect(
    await table
      .getByRole('row')
      .nth(1)
      .getByRole('cell')
      .evaluateAll((cells) => cells.slice(0, 2).map((cell) => getComputedStyle(cell).textAlign)),
  ).toEqual(['left', 'right'])

  await say(page, 'top companies in Energy')
  const list = log(page).getByRole('group', { name: 'Result, table' }).last()
  await expect(list.getByRole('columnheader', { name: 'Net income' })).toHaveAttribute('title', 'net_income')
  await expect(list.getByRole('cell', { name: '259,488,000,000' })).toBeVisible()
  await log(page).getByRole('button', { name: 'JSON', exact: true }).last().click()
  await expect(log(page)).toContainText('"net_income"')
})

test('a comparison covers one period, which it names, and starts at 100', async ({ page, baseURL }) => {
  await open(page, baseURL, 'compare@example.com')
  await say(page, 'compare OIL.WTI and GOLD.USD over 5 years')
  const answer = log(page).locator('[data-type=success]').last()
  await expect(message(page, 'Compared OIL.WTI and GOLD.USD')).toBeVisible()
  await expect(answer.getByText('Jun 1, 2021 – Jun 1, 2026', { exact: true })).toBeVisible()
  await expect(answer.getByText('2 credits', { exact: true })).toBeVisible()
  await expect(answer.getByRole('button', { name: 'Copy receipt ID' })).toHaveCount(2)
  const chart = answer.getByRole('slider', { name: 'OIL.WTI and GOLD.USD over time' })
  await chart.focus()
  await page.keyboard.press('Home')
  await expect(chart).toHaveAttribute('aria-valuetext', 'Jun 1, 2021: OIL.WTI 100.0, GOLD.USD 100.0')
  const table = answer.getByRole('group', { name: 'Comparison, table' })
  await expect(table.getByRole('columnheader')).toHaveText(['Symbol', 'Change %', 'Start = 100', 'Start', 'End'])
  const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents()
  const [change, indexed, start, end] = cells
    .slice(1)
    .map((cell) => Number(cell.replace(/[,+]/g, '').replace('−', '-')))
  expect(indexed).toBeCloseTo((100 * end!) / start!, 0)
  expect(change).toBeCloseTo(indexed! - 100, 0)

  // Two stocks: the cheaper summary, also over one period.
  await say(page, 'compare AAPL and MSFT')
  await expect(message(page, 'summarize_prices returned a result')).toBeVisible()
  await expect(log(page).getByText(/^\w{3} \d+, 2015 – \w{3} \d+, 2016$/)).toBeVisible()
})

test('a link fills in a question or a form, and runs nothing', async ({ page, context, baseURL }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, baseURL, 'links@example.com')
  await say(page, 'add 20 + 22')
  await expect(message(page, 'add returned a result')).toBeVisible()
  await log(page).locator('[data-type=user]').hover()
  await log(page).getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied to clipboard', { exact: true })).toBeVisible()
  const question = await clipboard(page)

  await page.goto(`${baseURL}${path}?tab=tools`)
  const item = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Test add' }) })
  await item.getByRole('button', { name: 'Test with arguments' }).click()
  await item.getByRole('textbox', { name: 'a (required)' }).fill('20')
  await item.getByRole('textbox', { name: 'b (required)' }).fill('22')
  await item.getByRole('button', { name: 'Copy link' }).click()
  await expect.poll(() => clipboard(page)).not.toBe(question)
  const form = await clipboard(page)

  const calls = callsOf(page)
  await page.goto(question)
  await connected(page)
  await expect(field(page)).toHaveValue('add 20 + 22')
  await expect(log(page).locator('[data-type=user]')).toHaveCount(0)
  await page.goto(form)
  await connected(page)
  await expect(item.getByRole('textbox', { name: 'a (required)' })).toHaveValue('20')
  await expect(item.getByRole('textbox', { name: 'b (required)' })).toHaveValue('22')
  await expect(item.getByRole('button', { name: 'Run', exact: true })).toBeInViewport()
  // A name at the end is searched for while it is typed, and only then.
  await page.clock.install()
  await page.goto(`${baseURL}${path}?ask=price+of+micro`)
  await connected(page)
  await expect(field(page)).toHaveValue('price of micro')
  await page.clock.fastForward(1000)
  await page.getByRole('button', { name: 'Servers', exact: true }).click()
  await page.getByRole('button', { name: 'Chat', exact: true }).click()
  await page.clock.fastForward(1000)
  expect(calls).toEqual([])
  await field(page).press('End')
  await field(page).pressSequentially('soft')
  await expect(chips(page, 'Matching symbols')).toHaveText([/^MSFT/])
  await page.goto(`${baseURL}${path}?tab=tools&tool=nothing`)
  await expect(page.getByText('This link needs the tool nothing, which no connected server has.')).toBeVisible()
})

test('the up arrow recalls messages, Escape returns; the arrow keys move between tabs', async ({ page, baseURL }) => {
  await open(page, baseURL, 'recall@example.com')
  for (const line of ['add 1 + 1', 'add 2 + 2']) await say(page, line)
  await expect(message(page, 'add returned a result')).toHaveCount(2)
  await field(page).press('ArrowUp')
  await expect(field(page)).toHaveValue('add 2 + 2')
  await field(page).press('ArrowUp')
  await expect(field(page)).toHaveValue('add 1 + 1')
  await field(page).press('ArrowDown')
  await expect(field(page)).toHaveValue('add 2 + 2')
  await field(page).press('Escape')
  await expect(field(page)).toHaveValue('')
  await field(page).fill('a draft')
  await page.getByRole('button', { name: 'Chat', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('button', { name: 'Servers', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Chat', exact: true }).click()
  await expect(field(page)).toHaveValue('a draft')
})

test('what is not understood gets suggestions close to it', async ({ page, baseURL }) => {
  await open(page, baseURL, 'unclear@example.com')
  await say(page, 'any ideas about energy companies')
  const answer = log(page).locator('[data-type=assistant]')
  await expect(answer.getByText('I did not recognize that.', { exact: false })).toBeVisible()
  await answer.getByRole('button', { name: /^top companies in Energy/ }).click()
  await expect(message(page, 'screen_stocks returned a result')).toBeVisible()
})

test('Settings: the choices work and stay; a command goes into the message field', async ({ page, baseURL }) => {
  await open(page, baseURL, 'choices@example.com', '?tab=settings')
  await page.getByRole('combobox', { name: 'Open results as' }).selectOption('JSON')
  await page.getByRole('checkbox', { name: 'Suggest symbols while I type' }).uncheck()
  await page.reload()
  await connected(page)
  await expect(page.getByRole('combobox', { name: 'Open results as' })).toHaveValue('json')
  await page.getByRole('button', { name: 'Use price of OIL.WTI' }).click()
  await expect(field(page)).toHaveValue('price of OIL.WTI')
  const calls = callsOf(page)
  await field(page).press('Enter')
  await expect(message(page, 'get_economic_series returned a result')).toBeVisible()
  await expect(log(page)).toContainText('"structuredContent"')
  expect(calls).toEqual(['search_symbols', 'get_economic_series'])
  await page.getByRole('button', { name: 'Settings', exact: true }).last().click()
  await page.getByRole('button', { name: 'Clear the conversation' }).click()
  await page.getByRole('button', { name: 'Chat', exact: true }).click()
  await expect(log(page).getByRole('article')).toHaveCount(0)
})

test('the conversation is accessible, at each width', async ({ page, baseURL }) => {
  await open(page, baseURL, 'talk@example.com')
  await expect(chips(page, 'Suggestions').first()).toBeVisible()
  await expectAccessibleAtEachWidth(page, 'an empty chat')
  for (const [line, text] of [
    ['oil since 2022', 'get_economic_series returned a result'],
    ['compare OIL.WTI and GOLD.USD over 5 years', 'Compared OIL.WTI and GOLD.USD'],
    ['candles VIX over 3 months', 'get_bars returned a result'],
    ['price of AAPL', 'get_quote returned a result'],
  ] as const) {
    await say(page, line)
    await expect(message(page, text)).toBeVisible()
  }
  await say(page, 'price of APPL')
  await expect(log(page).locator('[data-type=error]')).toBeVisible()
  await field(page).fill('price of micro')
  await expect(chips(page, 'Matching symbols').first()).toBeVisible()
  await expect(page.getByRole('slider')).toHaveCount(3)
  await expectAccessibleAtEachWidth(page, 'a conversation')
})
