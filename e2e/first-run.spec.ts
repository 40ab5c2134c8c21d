import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, type Page } from '@playwright/test'
import { test } from './fixtures.ts'

/** Counts a user's clicks and key presses with listeners that run before the page's own. */
async function countActs(page: Page): Promise<() => Promise<{ clicks: number; keys: number }>> {
  const acts = { clicks: 0, keys: 0 }
  await page.exposeFunction('countAct', (kind: 'clicks' | 'keys') => {
    acts[kind] += 1
  })
  await page.addInitScript(() => {
    const count = (window as unknown as { countAct: (kind: string) => void }).countAct
    addEventListener('click', (event) => event.isTrusted && count('clicks'), true)
    addEventListener('keydown', (event) => event.isTrusted && count('keys'), true)
  })
  return async () => acts
}

for (const provider of ['GitHub', 'Google']) {
  test(`first run with ${provider}: from the home page to a call on Overview in four clicks and no typing`, async ({
    page,
    context,
    baseURL,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL })
    const acts = await countActs(page)
    await page.goto(`${baseURL}/`)

    await page
      .getByRole('button', { name: `Continue with ${provider}` })
      .first()
      .click()
    await page.getByRole('button', { name: 'Allow', exact: true }).first().click()
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Copy command' }).click()
    expect(await acts()).toEqual({ clicks: 4, keys: 0 })
    // Until then the clipboard may have the command of the test before.
    await expect(page.getByText('Command copied to clipboard', { exact: true }).first()).toBeVisible()

    const command = await page.evaluate(() => navigator.clipboard.readText())
    const key = /fm_[0-9A-Za-z]{38}/.exec(command)?.[0]
    const address = /https?:\/\/[^\s"']+/.exec(command)?.[0]
    expect(key, command).toBeTruthy()
    expect(address, command).toBeTruthy()

    const answer = await fetch(address!, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-credits-charged')).toBe('1')
    expect(answer.headers.get('x-credits-remaining')).toBe('999')
    expect(((await answer.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0)
    const receipt = answer.headers.get('x-receipt-id')!
    await expect(page.getByRole('row', { name: /get_economic_series/ })).toBeVisible()

    const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseURL}/mcp?apikey=${key}`)))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['add', 'echo', 'timestamp', 'search_symbols', 'get_bars', 'get_quote']),
    )
    const quote = await client.callTool({ name: 'get_quote', arguments: { symbols: ['AAPL'] } })
    expect(quote.isError ?? false).toBe(false)
    await client.close()
    await expect(page.getByRole('row', { name: /get_quote/ })).toBeVisible()
    expect(receipt).toMatch(/^rcpt_/)
    await expect(page.getByText('998', { exact: false }).first()).toBeVisible()
  })
}
