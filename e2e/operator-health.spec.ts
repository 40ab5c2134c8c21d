import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'
import { openConsole, query } from './operator-console.ts'

test.use({ apart: 'operator-health' })

/** Opens a page at both widths, in both themes. */
async function judge(page: Page, state: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await expectAccessible(page, state)
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, state)
  await page.setViewportSize({ width: 1280, height: 900 })
}

test('an event that was given up is found on the page for health, tried again in deliveries, and gone', async ({
  page,
  product,
}) => {
  await query(
    product,
    `insert into stripe_events (id, type, object_id, created_at, received_at, dead_at, attempts, error)
     select 'evt_given_up_' || n, 'invoice.deleted', 'in_gone_' || n, app_now(), app_now() - n * interval '1 hour', app_now(), 10,
       'The payment provider did not answer within 10 seconds.' from generate_series(1, 3) n;
     insert into mail_log (id, kind, recipient, state, attempts, error) values
       (gen_random_uuid(), 'magic link', 'a.person.with.a.very.long.address@research.department.example.com', 'failed', 1, 'EENVELOPE 550');
     insert into failed_calls values (date_trunc('hour', app_now(), 'UTC'), 'get_bars', 'tool_timeout', 12345, app_now()),
       (date_trunc('hour', app_now(), 'UTC'), 'acme_price', 'upstream answered 503', 7, app_now());
     insert into database_sizes select (app_now() - n * interval '1 day')::date, 30000000 - n * 400000 from generate_series(1, 9) n
       on conflict do nothing;
     insert into backup_runs (kind, ok, detail) values ('backup', true, 'finmeter-2026-11-26T03-00-00Z'), ('drill', true, 'finmeter-2026-11-26T03-00-00Z, 1.0 hours old: 12,345 rows restored and checked in 4.2 seconds.')`,
  )
  await openConsole(page)
  await page.getByRole('link', { name: 'Health' }).click()
  const attention = page.getByRole('region', { name: 'Needs attention', exact: true })
  await expect(attention).toContainText('3 payment events are stuck')
  await expect(page.getByRole('region', { name: 'Doctor', exact: true })).toContainText('KEYS_SECRET opens what')
  await judge(page, 'health')
  await page.getByRole('tab', { name: 'Jobs and settings' }).click()
  await expect(page.getByRole('row', { name: /^KEYS_SECRET / })).toContainText('Not set')
  await judge(page, 'jobs and settings')
  await page.getByRole('tab', { name: 'Status' }).click()
  await attention.getByRole('button', { name: 'Acknowledge: 1 email could not be sent in the last day' }).click()
  const form = page.getByRole('dialog', { name: 'Acknowledge a finding' })
  await form.getByLabel('Reason').fill('The address was mistyped')
  await form.getByRole('button', { name: 'Acknowledge' }).click()
  await expect(attention).toContainText('Acknowledged by operator@example.com')
  await attention.getByRole('link', { name: 'Open events' }).click()
  await expect(page.getByRole('tab', { name: 'Payment events (3 failed)' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('The payment provider did not answer within 10 seconds.')).toHaveCount(3)
  await judge(page, 'deliveries')
  await page.getByRole('button', { name: 'Select 3' }).click()
  await page.getByRole('button', { name: 'Retry 3' }).click()
  const retry = page.getByRole('dialog', { name: 'Retry' })
  await retry.getByLabel('Reason').fill('The provider answers again')
  await expectAccessible(page, 'retry')
  await retry.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('tab', { name: 'Payment events', exact: true })).toBeVisible()
  await page.getByRole('tab', { name: 'Emails (1 failed)' }).click()
  await expect(page.getByText('a.person.with.a.very.long.address@research')).toBeVisible()
  await judge(page, 'mails')
  for (const tab of ['Webhooks', 'Jobs']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('region', { name: tab, exact: true })).toBeVisible()
    await judge(page, tab)
  }
  await page.getByRole('tab', { name: 'Failing calls' }).click()
  await expect(page.getByRole('row', { name: /get_bars/ })).toContainText('12,345')
  await expect(page.getByRole('row', { name: /^Total/ })).toContainText('12,352')
  const tools = page.getByRole('row').getByRole('cell').first()
  await page.getByRole('button', { name: 'Calls', exact: true }).click()
  await expect(page).toHaveURL(/sort=-Calls/)
  await expect(tools).toHaveText('get_bars')
  await page.getByRole('button', { name: 'Calls', exact: true }).click()
  await expect(tools).toHaveText('acme_price')
  await expect(page.getByRole('columnheader', { name: 'Calls' })).toHaveAttribute('aria-sort', 'ascending')
  await page.reload()
  await expect(tools).toHaveText('acme_price')
  await judge(page, 'failing calls')
  await page.getByRole('button', { name: '7 days' }).click()
  await expect(page).toHaveURL(/hours=168/)
  await page.reload()
  await expect(page.getByRole('button', { name: '7 days' })).toHaveAttribute('aria-pressed', 'true')
})

test('an owner stops sales and shows a banner, which customers see until it is removed', async ({ page, context }) => {
  await openConsole(page)
  await page.goto('/operator/health?tab=switches')
  await page.getByRole('button', { name: 'Stop sales' }).click()
  const stop = page.getByRole('alertdialog', { name: 'Stop sales' })
  await stop.getByLabel('Reason').fill('The price of Pro is wrong')
  await stop.getByRole('button', { name: 'Stop sales' }).click()
  await expect(page.getByText('The price of Pro is wrong')).toBeVisible()
  await page.getByRole('button', { name: 'Show a banner' }).click()
  const form = page.getByRole('dialog', { name: 'Show a banner' })
  await form.getByLabel('Text').fill('Prices are <b>late</b> today. Purchases wait until noon.')
  await form.getByLabel('Reason').fill('Tell customers why')
  await expectAccessible(page, 'banner form')
  await form.getByRole('button', { name: 'Show banner', exact: true }).click()
  await expect(page.getByText('“Prices are <b>late</b> today.')).toBeVisible()
  await judge(page, 'switches')
  const customer = await context.newPage()
  for (const path of ['/docs/pricing', '/dashboard']) {
    await customer.goto(path)
    await expect(customer.getByRole('complementary', { name: 'Announcement' })).toHaveText(
      'Prices are <b>late</b> today. Purchases wait until noon.',
    )
    await judge(customer, `banner ${path}`)
  }
  await customer.goto('/dashboard/billing/')
  await customer
    .getByRole('button', { name: /Select Pro|Pro/ })
    .first()
    .click()
  await expect(customer.getByText('Nothing can be bought here for now').first()).toBeVisible()
  await page.getByRole('button', { name: 'Remove banner' }).click()
  const remove = page.getByRole('dialog', { name: 'Remove banner' })
  await remove.getByLabel('Reason').fill('It is noon already')
  await remove.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Show a banner' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume sales' }).click()
  const resume = page.getByRole('dialog', { name: 'Resume sales' })
  await resume.getByLabel('Reason').fill('The price is right again')
  await resume.getByRole('button', { name: 'Resume sales' }).click()
  await expect(page.getByRole('button', { name: 'Stop sales' })).toBeVisible()
  await customer.goto('/docs/pricing')
  await expect(customer.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(customer.getByRole('complementary', { name: 'Announcement' })).toHaveCount(0)
})

test('the go-live list says what is missing, and what to do', async ({ page }) => {
  await openConsole(page)
  await page.goto('/operator/health')
  await page.getByRole('tab', { name: 'Go-live checklist' }).click()
  await expect(page).toHaveURL(/tab=go-live/)
  await expect(page.getByRole('listitem').filter({ hasText: 'HTTPS' })).toContainText(
    'Set PUBLIC_URL to the https address',
  )
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'Tax' })).toContainText('Not configured.')
  await judge(page, 'go-live')
})
