import { expect } from '@playwright/test'
import { TOTP } from 'otpauth'
import { connect } from '#server/cli/connect.ts'
import { expectAccessible } from './axe.ts'
import { test, withProduct } from './fixtures.ts'
import { continueAs } from './sign-in.ts'

test('where strangers may come, a session without a second factor only reads, and an old proof is asked for again with the form filled', async ({
  browser,
}) => {
  await withProduct({ SANDBOX: 'on' }, async ({ url, dir }) => {
    const { db, close } = await connect({ FINMETER_DATA_DIR: dir })
    const { rows } = await db.pool.query('select count(*)::int as operators from operators')
    expect(rows).toEqual([{ operators: 0 }])
    await db.pool.query(
      `insert into operators (email, role, added_by, factors_let_until) values ('boss@example.com', 'owner', 'test', now() + interval '1 day')`,
    )
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    await page.goto('/')
    await expect(page.getByRole('link', { name: /Console/ })).toHaveCount(0)
    // The code of an entry link is sent once, and is in no address.
    const code = 'c0de'.repeat(10).padEnd(43, 'x')
    const asked = page.waitForRequest((request) => request.url().endsWith('/operator/session'))
    await page.goto(`/login?next=/operator#${code}`)
    await continueAs(page, 'boss@example.com')
    expect((await asked).postDataJSON()).toEqual({ code })
    await expect(page).toHaveURL(/\/operator$/)
    await expect(page.getByText('This session is read-only.')).toBeVisible()
    await page.goto('/dashboard/settings/security')
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    const enroll = page.getByRole('dialog', { name: 'Add authenticator app' })
    await enroll.getByRole('button', { name: 'Continue' }).click()
    const secret = (await enroll.locator('code').textContent()) ?? ''
    const codeNow = async () => {
      const { rows } = await db.pool.query('select extract(epoch from app_now()) * 1000 as ms')
      return new TOTP({ secret, digits: 6, period: 30, algorithm: 'SHA1' }).generate({ timestamp: Number(rows[0].ms) })
    }
    const move = (interval: string) =>
      db.pool.query(
        'insert into app_clock (offset_by) values ($1) on conflict (only_row) do update set offset_by = app_clock.offset_by + $1',
        [interval],
      )
    await enroll.getByLabel('Code').fill(await codeNow())
    await enroll.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByText('Two-factor authentication is on', { exact: true }).first()).toBeVisible()

    await page.goto('/login?next=/operator')
    await page.getByRole('link', { name: 'Operators' }).click()
    await expect(page.getByText('This session is read-only.')).toHaveCount(0)
    await move('11 minutes')
    await page.getByRole('button', { name: 'Add an operator' }).click()
    const form = page.getByRole('dialog', { name: 'Add an operator' })
    await form.getByLabel('Email').fill('second@example.com')
    await form.getByLabel('Reason').fill('Takes over on weekends')
    await form.getByRole('button', { name: 'Save' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm your second factor' })
    await expectAccessible(page, 'operator proof')
    await proof.getByLabel('Code').fill('000000')
    await proof.getByRole('button', { name: 'Verify' }).click()
    await expect(proof.getByText('Invalid TOTP code entered')).toBeVisible()
    await proof.getByLabel('Code').fill(await codeNow())
    await proof.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByRole('row', { name: /second@example\.com/ })).toContainText('viewer')
    await page.context().close()
    await close()
  })
})
