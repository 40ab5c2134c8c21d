import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { freePort } from '#server/db/embedded.ts'
import { startNorthwind } from '#server/features/shop/testing/start-northwind.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { signInWithPlan } from './sign-in.ts'

test('from API Keys to a formula whose address gives rows, with a key that can only read', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInWithPlan(page, baseURL, 'sheets@example.com', '/dashboard/api-keys')
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Spreadsheets' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Spreadsheets' })).toBeVisible()
  // What the formula returns is there before anything is paid: recent rows of open data.
  const preview = page.getByRole('region', { name: 'Preview', exact: true })
  await expect(preview).toContainText('which cost nothing with the demonstration key')
  await expect(preview.getByRole('row').nth(5)).toContainText(/^2026-\d\d-\d\d\d+\.\d+$/)
  await expect(preview.getByRole('row')).toHaveCount(10)
  const formula = page.getByRole('region', { name: 'Copy the formula' })
  // The first key can do everything: it never gets into a formula.
  await expect(formula.getByRole('figure')).toContainText('apikey=YOUR_API_KEY')
  await page.getByRole('button', { name: 'Create a read-only key' }).click()
  await expect(page.getByText('Uses the read-only key Spreadsheets.')).toBeVisible()
  await expect(formula.getByRole('figure')).toContainText(/apikey=fm_.{5}•/)

  await page.getByLabel('Rows', { exact: true }).selectOption('Economic series')
  await page.getByLabel('Range', { exact: true }).selectOption('1 month')
  // A changed choice is read when it is asked for, with the sheet's own key.
  await expect(preview.getByRole('row')).toHaveCount(0)
  await preview.getByRole('button', { name: 'Show the rows' }).click()
  await expect(preview).toContainText('which cost 1 credit')
  await expect(preview.getByRole('row').nth(5)).toContainText('2026-08-1')
  const copied = async () => {
    await formula.getByRole('button', { name: 'Copy' }).click()
    await expect(page.getByText('Formula copied to clipboard', { exact: true }).first()).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const [, address] = /^=IMPORTDATA\("(.+)"\)$/.exec(await copied()) ?? []
  const answer = await fetch(address!)
  expect((await answer.text()).split('\r\n').slice(0, 2)).toEqual(['date,value', '2026-07-20,84.38'])
  expect((await fetch(address!, { method: 'POST' })).status).not.toBe(200)
  const rows = await fetch(`${baseURL}/mcp?${new URL(address!).searchParams}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  expect(rows.status).toBe(403)

  await formula.getByRole('button', { name: 'Excel' }).click()
  await expect(formula.getByRole('figure')).toContainText('{{"date", type date}, {"value", type number}}, "en-US")')
  await formula.getByRole('button', { name: 'Single value' }).click()
  await expect(formula.getByRole('figure')).toContainText('=NUMBERVALUE(MID(CLEAN(WEBSERVICE("')
  await page.goto(`${baseURL}/dashboard/api-keys`)
  await expect(page.getByRole('row').filter({ hasText: 'Spreadsheets' })).toContainText('Reading only')
})

test('in a shop that sells an own API, a sheet reads its calls, at their price', async ({ page }) => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-e2e-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const shop = startNorthwind(join(dir, 'northwind'), port)
  try {
    expect(await shop.open).toContain(`Northwind Weather is open at ${url}.`)
    await signInWithPlan(page, url, 'sheets@example.com', '/dashboard/spreadsheets')
    await page.getByLabel('Call', { exact: true }).selectOption('Daily forecast')
    await expect(page.getByText('Costs 1 credit per call, each time that the sheet reads it.')).toBeVisible()
    await page.getByLabel('place', { exact: true }).selectOption('lisbon')
    await page.getByLabel('days', { exact: true }).fill('3')
    const formula = page.getByRole('region', { name: 'Copy the formula' })
    await expect(formula.getByRole('figure')).toContainText('function WEATHER_GET_FORECAST() {')
    await expect(formula.getByRole('figure')).toContainText(`${url}/v1/weather/places/lisbon/forecast?days=3`)
    const preview = page.getByRole('region', { name: 'Preview', exact: true })
    await expect(preview.getByRole('button', { name: 'Show the rows' })).toBeDisabled()
    await page.getByRole('button', { name: 'Create a read-only key' }).click()
    await preview.getByRole('button', { name: 'Show the rows' }).click()
    await expect(preview.getByText('200 OK')).toBeVisible()
    await expect(preview.getByText('1 credit', { exact: true })).toBeVisible()
    await formula.getByRole('button', { name: 'Excel' }).click()
    await expect(formula.getByRole('figure')).toContainText('Json.Document(Web.Contents("')
    expect(await page.locator('body').textContent()).not.toMatch(/finmeter|AAPL|OIL\.WTI|VIX/i)
    await expectAccessibleAtEachWidth(page, 'northwind spreadsheets')
  } finally {
    await shop.stop()
    await rm(dir, { recursive: true, force: true })
  }
})
