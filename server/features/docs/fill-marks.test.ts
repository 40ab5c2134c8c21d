import { expect, test } from 'vitest'
import { testConfig } from '../../testing/harness.ts'
import { createFillMarks } from './fill-marks.ts'

const page =
  '<div data-if="SANDBOX">Imitations. <span data-if="MAILBOX"><a href="/sandbox/mail">Mailbox</a></span></div>'
const filled = (env: Record<string, string>) =>
  createFillMarks(testConfig('postgres://localhost/none', 1, env))(page, 'html')

test('a part stays if the installation has its feature, and so do nested parts', () => {
  expect(filled({ SANDBOX: 'on' })).toBe('<div>Imitations. <span><a href="/sandbox/mail">Mailbox</a></span></div>')
  expect(filled({ SANDBOX: 'on', SMTP_URL: 'smtp://mail.acme.example' })).toBe('<div>Imitations. </div>')
  expect(filled({ SANDBOX: 'off' })).toBe('')
})
