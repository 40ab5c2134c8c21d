import { expect, test } from 'vitest'
import { testConfig } from '../../testing/harness.ts'
import { type Shop, unnamedShop } from '../shop/shop.ts'
import { createFillMarks } from './fill-marks.ts'

const page =
  '<div data-if="SANDBOX">Imitations. <span data-if="MAILBOX"><a href="/sandbox/mail">Mailbox</a></span></div>'
const fillOf = (env: Record<string, string>, shop: Partial<Shop> = {}) => {
  const config = testConfig('postgres://localhost/none', 1, env)
  return createFillMarks(config, { ...unnamedShop(config), ...shop })
}
const filled = (env: Record<string, string>) => fillOf(env)(page, 'html')

test('a part stays if the installation has its feature, and so do nested parts', () => {
  expect(filled({ SANDBOX: 'on' })).toBe('<div>Imitations. <span><a href="/sandbox/mail">Mailbox</a></span></div>')
  expect(filled({ SANDBOX: 'on', SMTP_URL: 'smtp://mail.acme.example' })).toBe('<div>Imitations. </div>')
  expect(filled({ SANDBOX: 'off' })).toBe('')
})

test('the demo key is offered where it is on', () => {
  const offer = '<div data-if="DEMO_KEY"><p data-demo-key="true"></p></div>'
  expect(fillOf({})(offer, 'html')).toBe('<div><p data-demo-key="true"></p></div>')
  expect(fillOf({ DEMO_KEY: 'off' })(offer, 'html')).toBe('')
  expect(fillOf({}, { builtins: 'off' })(offer, 'html')).toBe('')
})

test('the name of the shop is text, and what is said of the software depends on it', () => {
  const named: Partial<Shop> = { version: 3, name: 'North & West', promise: 'Weather by the call.', poweredBy: true }
  const text =
    '%SHOP%. %ABOUT% <span data-if="UNNAMED">A</span><span data-if="NAMED">B</span><span data-if="POWERED_BY">C</span>'
  expect(fillOf({}, named)(text, 'html')).toBe('North &amp; West. Weather by the call. <span>B</span><span>C</span>')
  expect(fillOf({})(text, 'html')).toBe(
    'Finmeter. Metered access to financial data over REST and MCP. One API key, exact credits, a receipt for every response. <span>A</span>',
  )
})
