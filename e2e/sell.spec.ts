import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { insertAccount, insertKey } from '#server/testing/factories.ts'
import { runCommand } from '#server/testing/run-admin.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test, withProduct } from './fixtures.ts'
import { takenOver } from './settled.ts'

const example = (page: Page) => page.getByRole('region', { name: 'From your file to revenue, as an example' })
const step = (page: Page, name: string) =>
  example(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
const command = (page: Page) => example(page).getByRole('figure')
const priceOf = (page: Page) => example(page).getByRole('slider', { name: 'Price per call' })

/** Without motion, so that the page stays as it is until somebody acts. */
async function open(page: Page, baseURL: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${baseURL}/`)
  await takenOver(page)
  // The script of the example comes after that of the page; a press waits for it, a drop cannot.
  await example(page).evaluate(
    (region) =>
      new Promise<void>((ready) => {
        const look = () =>
          Object.keys(region).some((key) => key.startsWith('__reactFiber')) ? ready() : requestAnimationFrame(look)
        look()
      }),
  )
}

/** Drops a file on the example, as a browser does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const files = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer()
      data.items.add(new File([text!], name!))
      return data
    },
    [name, text],
  )
  await example(page).dispatchEvent('dragover', { dataTransfer: files })
  await example(page).dispatchEvent('drop', { dataTransfer: files })
}

const acme = `openapi: 3.0.3
info: { title: Acme prices, version: "1" }
servers: [{ url: "https://api.acme.example" }]
paths:
  /prices/{symbol}:
    get:
      summary: Last price
      parameters: [{ name: symbol, in: path, required: true, example: ACME, schema: { type: string } }]
    delete: {}
  /markets:
    get: { summary: Markets }
`

test('the start lines and the command of the example are copied by keyboard alone', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, baseURL)
  const copied = async () => {
    await page.keyboard.press('Enter')
    await expect(page.getByText('Command copied to clipboard', { exact: true }).first()).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  await page
    .getByRole('figure', { name: 'Terminal, with Node 20 or later' })
    .getByRole('button', { name: 'Copy' })
    .focus()
  expect(await copied()).toBe('git clone https://github.com/finmeter/finmeter\ncd finmeter && npm start')
  await command(page).getByRole('button', { name: 'Copy' }).focus()
  await page.keyboard.press('Enter')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('npm run upstream -- add weather.json --id weather --base https://api.weather.example --price 5')
})

test('header and hero lead to the repository, the demonstration, the comparison and the documentation', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL)
  const main = page.getByRole('main')
  for (const link of [
    page.getByRole('banner').getByRole('link', { name: /^GitHub/ }),
    main.getByRole('link', { name: /^View on GitHub/ }),
  ]) {
    await expect(link).toHaveAttribute('href', 'https://github.com/finmeter/finmeter')
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toBeInViewport()
  }
  await expect(main.getByRole('link', { name: 'Documentation', exact: true })).toHaveAttribute(
    'href',
    `${baseURL}/docs`,
  )
  await main.getByRole('link', { name: 'Comparison', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Compared with others' })).toBeInViewport()
  await main.getByRole('link', { name: 'Open the demo shop' }).click()
  await expect(page).toHaveURL(`${baseURL}/demo`)
  await expect(page.getByRole('heading', { level: 1, name: 'Financial data, metered per call.' })).toBeVisible()
})

test('the start lines come before every link, and on a phone their Copy is on the first screen', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await open(page, baseURL)
  const copy = page.getByRole('figure', { name: 'Terminal, with Node 20 or later' }).getByRole('button')
  await expect(copy).toBeInViewport()
  expect((await copy.boundingBox())!.y).toBeLessThan(
    (await page.getByRole('main').getByRole('link').first().boundingBox())!.y,
  )
})

test('on a phone the comparison is read without scrolling sideways', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await open(page, baseURL)
  const table = page.getByRole('region', { name: 'Compared with others, table' })
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const last = table.getByRole('row', { name: /^Can you host it yourself\?/ })
  await expect(last).toBeHidden()
  // About 6,000, and more in a wider font.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6500)
  await page.getByRole('button', { name: 'All 9 questions' }).click()
  await expect(last.getByRole('cell')).toHaveText([
    'Can you host it yourself?',
    'Yes: one process, one PostgreSQL',
    'With a sales contract',
  ])
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Unkey')
  await expect(last.getByRole('cell').last()).toHaveText('No guide')
  await expectAccessibleAtEachWidth(page, 'the comparison with another product')
})

test('one click makes a demonstration call on the page for those who install', async ({ page, baseURL }) => {
  await open(page, baseURL)
  const sent = page.waitForResponse(`${baseURL}/v1/series/OIL.WTI?range=1mo`)
  await page.getByRole('region', { name: 'Try a call' }).getByRole('button', { name: 'Run' }).click()
  const answer = await sent
  expect([answer.status(), answer.headers()['x-credits-charged']]).toEqual([200, '0'])
  for (const provider of ['GitHub', 'Google'])
    await expect(page.getByRole('main').getByRole('button', { name: `Continue with ${provider}` })).toBeVisible()
})

test('a dropped file becomes priced endpoints, calls with receipts, revenue and the command for it', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL)
  await drop(page, 'acme.yaml', acme)
  await expect(step(page, 'Your OpenAPI file')).toContainText('Acme prices')
  await expect(step(page, 'Your OpenAPI file')).toContainText('2 GET operations, 1 other is skipped')
  const call = step(page, 'A customer’s call')
  await expect(call).toContainText('GET /v1/acme/prices/ACME')
  await expect(call).toContainText('5 credits charged, on disk')
  await expect(call).toContainText('X-Credits-Charged: 5')
  await expect(call).toContainText('X-Credits-Remaining: 95')
  await expect(step(page, 'Your revenue')).toContainText('$0.05from 1 call')
  await expect(step(page, 'Your revenue')).toContainText('The customer has left95 of 100 credits')

  await example(page).getByRole('combobox', { name: 'Operation' }).selectOption('GET /markets')
  await priceOf(page).focus()
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowRight')
  await expect(priceOf(page)).toHaveAttribute('aria-valuetext', '8 credits')
  await expect(step(page, 'A priced endpoint')).toContainText('$0.08 per call')
  await expect(step(page, 'Your revenue')).toContainText('At 100,000 calls a month$8,000')
  await call.getByRole('button', { name: 'Call again' }).click()
  await expect(call).toContainText('GET /v1/acme/markets')
  await expect(call).toContainText('X-Credits-Remaining: 87')
  await expect(call).toContainText('X-Receipt-Id: example-2')
  await expect(step(page, 'Your revenue')).toContainText('$0.13from 2 calls')
  await expect(command(page)).toContainText(
    'npm run upstream -- add acme.yaml --id acme --base https://api.acme.example --price 8',
  )
  await expectAccessibleAtEachWidth(page, 'the example with a file')
})

test('a customer without enough credits is refused, and the API is not called', async ({ page, baseURL }) => {
  await open(page, baseURL)
  await priceOf(page).focus()
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('PageUp')
  await expect(priceOf(page)).toHaveAttribute('aria-valuetext', '25 credits')
  const call = step(page, 'A customer’s call')
  for (let calls = 0; calls < 4; calls++) await call.getByRole('button', { name: 'Call again' }).click()
  await expect(call).toContainText('HTTP/1.1 402 Payment Required')
  await expect(call).toContainText('Your API is not called')
  await expect(call).toContainText('X-Credits-Charged: 0')
  await expect(step(page, 'Your revenue')).toContainText('$0.80from 4 calls')
})

test('a file that cannot be sold says why and changes nothing else; the sample is one click away', async ({
  page,
  baseURL,
}) => {
  await open(page, baseURL)
  const file = step(page, 'Your OpenAPI file')
  await drop(page, 'acme.yaml', acme)
  await expect(file).toContainText('Acme prices')
  await drop(page, 'notes.txt', 'just words')
  await expect(file).toContainText('This is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.')
  await drop(page, 'broken.json', '{"openapi":')
  await expect(file).toContainText('This is neither JSON nor YAML.')
  await drop(page, 'huge.yaml', 'x'.repeat(5 * 2 ** 20))
  await expect(file).toContainText(
    'huge.yaml has 5.0 MiB. This page reads up to 4 MiB; the command below reads larger ones.',
  )
  await expect(step(page, 'A customer’s call')).toContainText('GET /v1/acme/prices/ACME')
  await expectAccessibleAtEachWidth(page, 'the example with a refused file')
  await example(page).getByRole('button', { name: 'Use the sample' }).click()
  await expect(file).toContainText('weather.json')
  await expect(step(page, 'A customer’s call')).toContainText('GET /v1/weather/forecast/berlin')
  // A file may also be chosen.
  await example(page)
    .getByLabel('Choose a file')
    .last()
    .setInputFiles({ name: 'acme.yaml', mimeType: 'text/yaml', buffer: Buffer.from(acme) })
  await expect(file).toContainText('Acme prices')
})

test('two calls play by themselves; then the page is still', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/`)
  await expect(step(page, 'Your revenue')).toContainText('$0.15from 3 calls')
  await expect(step(page, 'A customer’s call').getByText('X-Receipt-Id: example-3')).toBeVisible()
})

test('without a script the page shows the example, the prices and the comparison', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseURL! })
  const page = await context.newPage()
  await page.goto('/')
  await expect(step(page, 'A customer’s call')).toContainText('X-Receipt-Id: example-1')
  const main = page.getByRole('main')
  await expect(main.getByRole('region', { name: 'What it costs' })).toContainText('Apache-2.0, no fee per call')
  await expect(main.getByRole('list', { name: 'Plans of the demonstration' }).getByRole('listitem')).toHaveText([
    'Free $0 monthly',
    'Pro $19 monthly 14-day free trial',
    'Pay-as-you-go $0.01 per 100 requests $1.00/month minimum',
  ])
  await expect(main.getByRole('table').filter({ hasText: 'Zuplo' })).toContainText(
    'Is every charge on disk before the response leaves?',
  )
  await context.close()
})

test('it says what is free, names alternatives with the date of reading, and says who should not use it', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/sell`)
  const charges = page.getByRole('table').filter({ hasText: 'What happens' })
  await expect(charges.getByRole('row', { name: /Your API fails, times out/ })).toContainText('Free')
  await expect(charges.getByRole('row', { name: /Your API answers with a 2xx status/ })).toContainText('Your price')
  const compared = page.getByRole('table').filter({ hasText: 'Zuplo' })
  await expect(compared.getByRole('columnheader')).toHaveText([
    'Question',
    'Finmeter',
    'Zuplo',
    'Unkey',
    'Autumn',
    'OpenMeter',
    'Lago',
  ])
  await expect(page.getByText('Read in August 2026 in the public code and documentation, not tried:')).toBeVisible()
  const source = page.getByRole('link', { name: /^zuplo\/docs d01d37f/ })
  await expect(source).toHaveAttribute('href', 'https://github.com/zuplo/docs/tree/d01d37f/docs/articles/monetization')
  await expect(page.getByRole('region', { name: 'Not for you if' })).toContainText('You want someone else to host it.')
  // The page ends with what to do next.
  const last = page.locator('main section').last()
  await expect(last).toContainText('git clone')
  await expect(last.getByRole('link', { name: 'Read the self-hosting guide' })).toHaveAttribute(
    'href',
    '/docs/self-hosting',
  )
})

test('the root: for those who install, then for the first customer, then of the named shop', async ({ browser }) => {
  test.setTimeout(300_000)
  await withProduct({ SANDBOX: 'off' }, async ({ url, dir }) => {
    const context = await browser.newContext({ baseURL: url })
    const page = await context.newPage()
    const heading = async () => {
      await page.goto('/')
      return page.getByRole('heading', { level: 1 }).textContent()
    }
    expect(await heading()).toBe('Sell your API per call. Charged before the response leaves.')
    const { db, close } = await connect({ FINMETER_DATA_DIR: dir })
    await insertKey(db, await insertAccount(db))
    // Servers look once a minute; this is as if it had passed.
    await db.pool.query("select pg_notify('shop_changed', '')")
    await close()
    await expect.poll(heading).toBe('Financial data, metered per call.')
    await expect(page.getByRole('banner').getByRole('link', { name: /^GitHub/ })).toHaveCount(0)
    const file = join(dir, 'shop.yaml')
    await writeFile(file, 'name: Northwind Weather\npromise: Forecasts by the call.\n')
    const { code, err } = await runCommand('shop', ['apply', file], { FINMETER_DATA_DIR: dir })
    expect([code, err]).toEqual([0, ''])
    await expect.poll(heading).toBe('Forecasts by the call.')
    await takenOver(page)
    for (const path of ['/sell', '/demo']) {
      expect((await page.goto(path))?.status()).toBe(404)
      await takenOver(page)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
    }
    await context.close()
  })
})
