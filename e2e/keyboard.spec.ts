import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { hold } from './answers.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `keyboard-${randomUUID().slice(0, 8)}@example.com`

/** Counts from landing on Overview: a press is one, and so is the text typed into a field. */
function hands(page: Page) {
  let count = 0
  const palette = page.getByRole('dialog', { name: 'Commands' })
  return {
    press: async (...keys: string[]) => {
      for (const key of keys) {
        await page.keyboard.press(key)
        count += 1
      }
    },
    type: async (text: string) => {
      await page.keyboard.type(text)
      count += 1
    },
    /** Opens the palette, types into it, and runs its first result. */
    command: async function (typed: string, result: string) {
      await this.press('Control+k')
      await expect(palette.getByRole('combobox')).toBeFocused()
      await this.type(typed)
      await expect(palette.getByRole('option', { selected: true })).toHaveText(result)
      await this.press('Enter')
    },
    count: () => count,
  }
}

test('by keyboard alone: a key with a scope and a budget in 13, its rotation in 6, an invitation in 5, Cursor in 3', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address())

  const land = async () => {
    await page.goto('/dashboard')
    await expect(page.getByRole('row').filter({ hasText: 'Backtests' })).toBeVisible()
  }
  const creating = hands(page)
  await creating.command('create key', 'Create API Key')
  await expect(page.getByLabel('Key Name')).toBeFocused()
  await creating.type('Backtests')
  await creating.press('Tab', 'Enter')
  await expect(page.getByLabel('Use for')).toBeVisible()
  await creating.press('Tab')
  await expect(page.getByLabel('Use for')).toBeFocused()
  await creating.type('MCP')
  await creating.press('Tab', 'Tab', 'Tab')
  await expect(page.getByLabel('Monthly budget')).toBeFocused()
  await creating.type('500')
  await creating.press('Enter')
  const row = page.getByRole('row').filter({ hasText: 'Backtests' })
  await expect(row).toContainText('MCP only')
  await expect(row).toContainText('500 of 500 credits left this month')
  expect(creating.count()).toBe(13)

  await land()
  const rotating = hands(page)
  await rotating.command('rotate key backtests', 'Rotate Backtests')
  const dialog = page.getByRole('alertdialog', { name: 'Rotate API key?' })
  await expect(dialog.getByLabel('Revoke the old key')).toBeFocused()
  await rotating.press('Tab', 'Tab', 'Enter')
  await expect(page.getByRole('heading', { name: 'Your new key' })).toBeFocused()
  expect(rotating.count()).toBe(6)

  await land()
  const connecting = hands(page)
  await connecting.command('cursor', 'Connect Cursor')
  const cursor = page.getByRole('tab', { name: 'Cursor' })
  await expect(cursor).toBeFocused()
  await expect(page.getByRole('tabpanel', { name: 'Cursor' })).toContainText('~/.cursor/mcp.json')
  expect(connecting.count()).toBe(3)

  await land()
  const inviting = hands(page)
  await inviting.command('team invite', 'Invite a team member')
  await expect(page.getByLabel('Email address')).toBeFocused()
  const guest = address()
  await inviting.type(guest)
  await inviting.press('Enter')
  await expect(page.getByText(`Invitation sent to ${guest}`, { exact: true }).first()).toBeVisible()
  expect(inviting.count()).toBe(5)
})

test('an invitation is sent by Enter although the team is still loading', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  const release = await hold(page, '**/api/team')
  await page.goto('/dashboard/settings/team#invite')
  await expect(page.getByLabel('Email address')).toBeFocused()
  const guest = address()
  await page.keyboard.type(guest)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Invitation sent to ${guest}`, { exact: true }).first()).toBeVisible()
  release()
  await expect(page.getByRole('region', { name: 'Pending invitations' })).toContainText(guest)
})

test('the palette runs an action again on the same page, copies the MCP URL and finds documentation', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, baseURL, address())
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  const run = (typed: string, result: string) => hands(page).command(typed, result)

  await run('copy mcp url', 'Copy MCP URL')
  await expect(page.getByText('MCP URL copied to clipboard!', { exact: true }).first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    new RegExp(`^${baseURL}/mcp\\?apikey=fm_\\w{38}$`),
  )

  await run('invite', 'Invite a team member')
  const email = page.getByLabel('Email address')
  await expect(email).toBeFocused()
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Billing' }).focus()
  await run('invite', 'Invite a team member')
  await expect(email).toBeFocused()

  await run('top up', 'Buy credits')
  await expect(page.getByRole('dialog', { name: 'Buy credits' }).getByLabel('Packs')).toBeFocused()
  await page.keyboard.press('Escape')
  await run('change plan', 'Choose a plan')
  await expect(page.getByRole('heading', { name: 'Plans', exact: true })).toBeFocused()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('idempotency')
  const palette = page.getByRole('dialog', { name: 'Commands' })
  await expect(palette.getByText('Documentation', { exact: true })).toBeVisible()
  await expect(palette.getByRole('option').first()).toContainText(/idempoten|retr/i)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\//)
})

test('client tabs: arrow keys, Home and End choose; Tab goes on to the panel', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address())
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  const tabs = page.getByRole('tablist', { name: 'AI client' })
  const tab = (name: string) => tabs.getByRole('tab', { name, exact: true })
  await tab('Claude').focus()
  await expect(tabs.getByRole('tab', { selected: true })).toHaveCount(1)
  for (const [key, chosen] of [
    ['ArrowRight', 'Claude Code'],
    ['End', 'Gemini CLI'],
    ['ArrowRight', 'Claude'],
    ['ArrowLeft', 'Gemini CLI'],
    ['Home', 'Claude'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(tab(chosen)).toBeFocused()
    await expect(tab(chosen)).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('tabpanel', { name: chosen, exact: true })).toBeVisible()
  }
  await page.keyboard.press('Tab')
  await expect(page.getByRole('tabpanel').locator(':focus')).toHaveCount(1)
})
