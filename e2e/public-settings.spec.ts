import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { freePort } from '#server/db/embedded.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { test } from './fixtures.ts'

test('one build serves any installation: its links, URLs and legal texts', async ({ browser }) => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-e2e-'))
  const privacy = join(dir, 'privacy.md')
  await writeFile(privacy, '# Our Privacy Rules\n\nWe keep **nothing**.\n\n<script>alert(1)</script>\n')
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = startServerProcess({
    PORT: String(port),
    FINMETER_DATA_DIR: dir,
    SOCIAL_DISCORD: 'https://discord.example/invite',
    SOURCE_URL: 'https://git.acme.example/finmeter',
    SUPPORT_EMAIL: 'help@acme.example',
    SALES_URL: 'https://chat.acme.example/sales',
    DOCS_URL: 'https://docs.acme.example',
    PRIVACY_FILE: privacy,
    AUTH_EMAIL: 'off',
    DEMO_KEY: 'off',
    DEMO_PRICES: 'off',
  })
  try {
    await server.ready
    const scripted = await browser.newContext({ baseURL: url })
    const recover = await scripted.newPage()
    await recover.goto('/auth/recover')
    await expect(recover.getByText('This installation does not send sign-in emails.')).toBeVisible()
    await expect(recover.getByRole('link', { name: 'Back to sign-in' })).toBeVisible()
    await expect(recover.getByRole('textbox')).toHaveCount(0)
    await scripted.close()
    // Without scripts: the server renders all of it.
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: url })
    const page = await context.newPage()
    await page.goto('/demo')
    const call = page.getByRole('region', { name: 'Try a call' })
    await expect(call).toContainText('RecordedLog in to make the call with your own key.')
    await expect(call).toContainText('YOUR_API_KEY')
    await expect(call).toContainText('86.48US dollars per barrel · Aug 18, 2026')
    await expect(call.getByRole('button', { name: 'Run' })).toHaveCount(0)
    await expect(page.getByRole('main')).toContainText('Crude oil spot prices')
    await expect(page.getByRole('main')).not.toContainText('Cboe Volatility Index')
    await page.goto('/docs/pricing')
    const footer = page.getByRole('contentinfo')
    const discord = footer.getByRole('link', { name: 'Discord' })
    await expect(discord).toHaveAttribute('href', 'https://discord.example/invite')
    await expect(discord).toHaveAttribute('target', '_blank')
    await expect(discord).toHaveAttribute('title', 'Open Discord')
    await expect(footer.getByRole('link', { name: 'GitHub' })).toHaveAttribute(
      'href',
      'https://git.acme.example/finmeter',
    )
    for (const name of ['Telegram', 'Reddit']) await expect(footer.getByRole('link', { name })).toHaveCount(0)
    await expect(footer.getByRole('link', { name: /^Contact Us/ })).toHaveAttribute('href', 'mailto:help@acme.example')
    await expect(page.getByRole('main').getByRole('link', { name: /^Contact Sales/ })).toHaveAttribute(
      'href',
      'https://chat.acme.example/sales',
    )
    await expect(page.getByRole('banner').getByRole('link', { name: /^Documentation/ })).toHaveAttribute(
      'href',
      'https://docs.acme.example',
    )
    await page.goto('/legal/privacy')
    await expect(page.getByRole('heading', { name: 'Our Privacy Rules', level: 1 })).toBeVisible()
    await expect(page.getByText('<script>alert(1)</script>')).toBeVisible()
    await context.close()
  } finally {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
})
