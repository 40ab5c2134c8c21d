import { expect, test } from 'vitest'
import { testConfig } from '../../testing/harness.ts'
import { createFillMarks } from './fill-marks.ts'

const page =
  '<div data-if="SANDBOX">Imitations. <span data-if="MAILBOX"><a href="/sandbox/mail">Mailbox</a></span></div>'
const filled = (env: Record<string, string>) =>
  createFillMarks(testConfig('postgres://localhost/none', 1, env))(page, 'html')

test('a part stays where the installation has what it speaks of, and so do the parts in it', () => {
  expect(filled({ SANDBOX: 'on' })).toBe('<div>Imitations. <span><a href="/sandbox/mail">Mailbox</a></span></div>')
  expect(filled({ SANDBOX: 'on', SMTP_URL: 'smtp://mail.acme.example' })).toBe('<div>Imitations. </div>')
  expect(filled({ SANDBOX: 'off' })).toBe('')
})
