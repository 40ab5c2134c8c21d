import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'

const VIEW = 'ui://finmeter/chart'
/** The policy a host applies to a view that requests nothing. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"

/** The product's MCP server through the official client, with the key that needs no account. */
async function ask(baseURL: string, name: string, args: Record<string, unknown>) {
  const client = new Client({ name: 'host', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseURL}/mcp?apikey=demo`)))
  try {
    const { tools } = await client.listTools()
    const uri = (tools.find((tool) => tool.name === name)!._meta!.ui as { resourceUri: string }).resourceUri
    const { contents } = await client.readResource({ uri })
    const { uri: found, mimeType, text } = contents[0] as { uri: string; mimeType: string; text: string }
    return { uri: found, mimeType, html: text, result: await client.callTool({ name, arguments: args }) }
  } finally {
    await client.close()
  }
}

/** A host: shows the view in a sandboxed frame, completes the handshake, and passes it one result. */
async function host(page: Page, html: string, result: unknown, theme: 'light' | 'dark'): Promise<string[]> {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.setContent(
    '<html lang="en"><title>A host</title><body style="margin:0"><main><h1 style="position:absolute;left:-9999px">Chat</h1><iframe title="Chart" sandbox="allow-scripts" style="border:0;width:100%;height:360px"></iframe></main>',
  )
  await page.evaluate(
    ({ html, result, theme, policy }) => {
      const frame = document.querySelector('iframe')!
      const said: string[] = []
      Object.assign(window, { said })
      addEventListener('message', ({ source, data }) => {
        if (source !== frame.contentWindow) return
        said.push(data.method)
        const send = (message: object) => frame.contentWindow!.postMessage({ jsonrpc: '2.0', ...message }, '*')
        if (data.method === 'ui/initialize')
          send({
            id: data.id,
            result: {
              protocolVersion: '2026-01-26',
              hostInfo: { name: 'test', version: '1' },
              hostCapabilities: {},
              hostContext: { theme },
            },
          })
        if (data.method === 'ui/notifications/initialized')
          send({ method: 'ui/notifications/tool-result', params: result })
      })
      frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
    },
    { html, result, theme, policy: POLICY },
  )
  return requests
}

const bars = { symbol: 'SPX', from: '2008-01-01', to: '2009-12-31', limit: 600 }

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const)
  test(`a host draws get_bars as a chart, ${theme}, ${width} px`, async ({ page, baseURL }, info) => {
    await page.setViewportSize({ width, height: 420 })
    const { uri, mimeType, html, result } = await ask(baseURL, 'get_bars', bars)
    expect([uri, mimeType]).toEqual([VIEW, 'text/html;profile=mcp-app'])
    const requests = await host(page, html, result, theme)
    const view = page.frameLocator('iframe')
    await expect(view.getByRole('heading')).toHaveText('S&P 500 Index, close, USD')
    await expect(view.getByRole('status')).toHaveText('1,115.1 (−22.95 %)')
    const chart = view.getByRole('img')
    await expect(chart).toHaveAttribute(
      'aria-label',
      /from 2008-01-02 to 2009-12-31: 1,447\.16 to 1,115\.1, least 676\.53, most 1,447\.16/,
    )
    await expect(view.getByText('Historical sample, not live: the last bar of SPX is 2020-04-17.')).toBeVisible()
    expect((await chart.locator('.curve').getAttribute('points'))!.split(' ')).toHaveLength(505)

    await view.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await expect(view.getByRole('status')).toHaveText('2008-01-02: 1,447.16')
    await page.keyboard.press('ArrowRight')
    await expect(view.getByRole('status')).toHaveText(/^2008-01-03: /)
    await expect(page.locator('iframe').contentFrame().locator('html')).toHaveAttribute('data-theme', theme)
    expect(requests.filter((url) => !url.startsWith('about:'))).toEqual([])
    await expectAccessible(page, `the chart, ${theme}, ${width} px`)
    await page.screenshot({ path: info.outputPath(`chart-${theme}-${width}.png`) })
  })

test('an economic series is drawn too; an error and a response without rows show a message', async ({
  page,
  baseURL,
}) => {
  const series = await ask(baseURL, 'get_economic_series', { series_id: 'US.CPI', range: '10y' })
  await host(page, series.html, series.result, 'light')
  const view = page.frameLocator('iframe')
  await expect(view.getByRole('img')).toHaveAttribute('aria-label', /^US Consumer Price Index, all urban consumers/)

  const wrong = await ask(baseURL, 'get_bars', { symbol: 'APPL' })
  await host(page, wrong.html, wrong.result, 'light')
  await expect(view.getByText('Did you mean AAPL', { exact: false })).toBeVisible()
  await expect(view.getByRole('img')).toBeHidden()

  const empty = await ask(baseURL, 'get_bars', { symbol: 'SPX', from: '9999-12-31' })
  await host(page, empty.html, empty.result, 'light')
  await expect(view.getByRole('status')).toHaveText('No rows with a date and a number')
})

test('yields are drawn with their gaps, and the response names them', async ({ page, baseURL }, info) => {
  const yields = await ask(baseURL, 'get_economic_series', { series_id: 'US.TREASURY.10Y', range: 'max', limit: 1000 })
  await host(page, yields.html, yields.result, 'light')
  const view = page.frameLocator('iframe')
  const chart = view.getByRole('img')
  await expect(chart).toHaveAttribute(
    'aria-label',
    /^US Treasury par yield, 10 years.* in 6 parts with gaps between them/,
  )
  await expect(chart.locator('.curve')).toHaveCount(6)
  await expect(chart.locator('.gap')).toHaveCount(5)
  await expect(view.getByText('No observations between 1990-03-28 and 2001-10-19', { exact: false })).toBeVisible()
  await page.screenshot({ path: info.outputPath('yields.png') })
})

test('input is text: markup in a name or a warning is shown, not run', async ({ page, baseURL }) => {
  const { html } = await ask(baseURL, 'get_bars', bars)
  const evil = '<img src=x onerror="document.title=\'run\'">'
  const structuredContent = {
    columns: ['date', 'close'],
    rows: [
      [evil, 1],
      ['2024-01-02', 2],
    ],
    meta: { row_count: 2, name: evil, warnings: [evil] },
  }
  await host(page, html, { content: [], structuredContent }, 'light')
  const view = page.frameLocator('iframe')
  await expect(view.getByRole('heading')).toContainText('<img src=x')
  await expect(view.locator('img')).toHaveCount(0)
})
