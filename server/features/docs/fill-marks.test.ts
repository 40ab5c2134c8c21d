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

test('the demo key is offered where it is on', () => {
  const offer = '<div data-if="DEMO_KEY"><p data-demo-key="true"></p></div>'
  const on = testConfig('postgres://localhost/none', 1, {})
  const off = testConfig('postgres://localhost/none', 1, { DEMO_KEY: 'off' })
  expect(createFillMarks(on)(offer, 'html')).toBe('<div><p data-demo-key="true"></p></div>')
  expect(createFillMarks(off)(offer, 'html')).toBe('')
})
