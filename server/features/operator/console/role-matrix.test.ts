import { expect, test } from 'vitest'
import type { OperatorRole } from '#contract/operator/route.ts'
import { operatorRoutes } from '#contract/operator/routes.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { call, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

/** Every operation of the console, with the roles that may use it. `fresh`: after a proof of a second factor in the last ten minutes. */
const matrix: Record<string, string> = {
  'GET /operator/api/session': 'owner support finance viewer',
  'DELETE /operator/api/session': 'owner support finance viewer',
  'GET /operator/api/operators': 'owner support finance viewer',
  'POST /operator/api/operators': 'owner, fresh',
  'POST /operator/api/operators/{id}/remove': 'owner, fresh',
  'POST /operator/api/operators/{id}/trust-factor': 'owner, fresh',
  'GET /operator/api/log': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/acts': 'owner support finance viewer',
  'POST /operator/api/customers/{id}/grants': 'owner support finance, fresh',
  'POST /operator/api/customers/{id}/take-backs': 'owner support finance, fresh',
  'POST /operator/api/customers/{id}/suspend': 'owner support, fresh',
  'POST /operator/api/customers/{id}/resume': 'owner support, fresh',
  'POST /operator/api/customers/{id}/limits': 'owner support, fresh',
  'POST /operator/api/customers/{id}/end-sessions': 'owner support finance, fresh',
  'POST /operator/api/customers/{id}/notes': 'owner support finance',
  'POST /operator/api/customers/{id}/plan': 'owner, fresh',
  'POST /operator/api/customers/{id}/invitations/{invitation}/resend': 'owner support finance',
  'POST /operator/api/customers/{id}/members/{member}/verification': 'owner support finance',
  'POST /operator/api/customers/{id}/export': 'owner, fresh',
  'POST /operator/api/customers/{id}/delete': 'owner, fresh',
  'POST /operator/api/customers/{id}/views': 'owner support, fresh',
  'GET /operator/api/customers/{id}/refunds': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/invoices/{invoice}/refund': 'owner finance',
  'POST /operator/api/customers/{id}/refunds': 'owner finance, fresh',
  'POST /operator/api/customers/{id}/refunds/{refund}/send': 'owner finance, fresh',
  'GET /operator/api/search': 'owner support finance viewer',
  'GET /operator/api/customers': 'owner support finance viewer',
  'GET /operator/api/customers-totals': 'owner support finance viewer',
  'GET /operator/api/customers-csv': 'owner, fresh',
  'GET /operator/api/customers/{id}': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/overview': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/ledger': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/keys': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/calls': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/invoices': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/people': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/limits': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/webhooks': 'owner support finance viewer',
  'GET /operator/api/customers/{id}/timeline': 'owner support finance viewer',
  'GET /operator/api/receipts/{id}': 'owner support finance viewer',
  'GET /operator/api/products': 'owner support finance viewer',
  'GET /operator/api/products/{id}': 'owner support finance viewer',
  'POST /operator/api/products': 'owner finance',
  'POST /operator/api/products/{id}/draft': 'owner finance',
  'POST /operator/api/products/{id}/discard': 'owner finance',
  'POST /operator/api/products/{id}/publish': 'owner, fresh',
  'POST /operator/api/products/{id}/archive': 'owner, fresh',
  'GET /operator/api/prices': 'owner support finance viewer',
  'POST /operator/api/prices/{tool}': 'owner, fresh',
  'GET /operator/api/price-simulation': 'owner support finance viewer',
  'GET /operator/api/upstreams': 'owner support finance viewer',
  'GET /operator/api/upstreams/{id}': 'owner support finance viewer',
  'POST /operator/api/upstreams/check': 'owner, fresh',
  'POST /operator/api/upstreams': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/publish': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/undo': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/pause': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/resume': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/remove': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/try': 'owner, fresh',
  'POST /operator/api/upstreams/{id}/compare': 'owner, fresh',
  'GET /operator/api/upstream-secrets': 'owner support finance viewer',
  'POST /operator/api/upstream-secrets': 'owner, fresh',
  'POST /operator/api/upstream-secrets/remove': 'owner, fresh',
  'GET /operator/api/shop': 'owner support finance viewer',
  'POST /operator/api/shop/check': 'owner',
  'POST /operator/api/shop': 'owner, fresh',
  'POST /operator/api/shop/undo': 'owner, fresh',
  'POST /operator/api/shop/sender': 'owner, fresh',
  'GET /operator/api/today': 'owner support finance viewer',
  'GET /operator/api/today/lists': 'owner support finance viewer',
  'GET /operator/api/finance/revenue': 'owner finance',
  'GET /operator/api/finance/recurring': 'owner finance',
  'GET /operator/api/finance/credits': 'owner finance',
  'GET /operator/api/finance/liability': 'owner finance',
  'GET /operator/api/finance/refunds': 'owner finance',
  'GET /operator/api/finance/journal': 'owner finance',
  'GET /operator/api/finance/taxes': 'owner finance',
  'GET /operator/api/delivery': 'owner support finance viewer',
  'GET /operator/api/delivery/{channel}': 'owner support finance viewer',
  'POST /operator/api/delivery/{channel}/retry': 'owner support finance',
  'GET /operator/api/payments': 'owner support finance viewer',
  'GET /operator/api/payments/{id}': 'owner support finance viewer',
  'GET /operator/api/failing-calls': 'owner support finance viewer',
  'GET /operator/api/attention': 'owner support finance viewer',
  'POST /operator/api/attention/acknowledge': 'owner support finance',
  'GET /operator/api/health': 'owner support finance viewer',
  'GET /operator/api/go-live': 'owner support finance viewer',
  'GET /operator/api/switches': 'owner support finance viewer',
  'POST /operator/api/switches/sales': 'owner, fresh',
  'POST /operator/api/switches/banner': 'owner, fresh',
  'GET /operator/api/datasets': 'owner support finance viewer',
  'POST /operator/api/datasets/check': 'owner',
  'POST /operator/api/datasets': 'owner, fresh',
  'POST /operator/api/datasets/{id}/publish': 'owner, fresh',
  'POST /operator/api/connectors/{name}/schedule': 'owner, fresh',
}

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const lines = Object.entries(matrix).map(([line, rule]) => {
  const [method, path] = line.split(' ') as [string, string]
  return {
    line,
    method,
    url: path.replaceAll(/\{\w+\}/g, '1'),
    roles: rule.replace(', fresh', '').split(' '),
    fresh: rule.endsWith(', fresh'),
  }
})

/** One for each role and proof, because the entrance admits 60 a minute. */
const opened = new Map<string, Promise<TestOperator>>()
function console(
  role: OperatorRole,
  options: { provedAgoSeconds?: number | null } = {},
  which = '',
): Promise<TestOperator> {
  const name = `${role} ${options.provedAgoSeconds} ${which}`
  const known = opened.get(name) ?? openConsole(server, role, options)
  opened.set(name, known)
  return known
}

test('the matrix names every operation', () => {
  const defined = Object.values(operatorRoutes).map(({ method, path, roles, ...rest }) => [
    `${method} ${path}`,
    roles.join(' ') + ('fresh' in rest && rest.fresh ? ', fresh' : ''),
  ])
  expect(Object.fromEntries(defined)).toEqual(matrix)
})

test('for strangers, customers and their tokens there is no operation', async () => {
  const customer = await startSession(server)
  const plain = (text: string, url: string) => text.replaceAll(url, '')
  for (const { method, url } of lines) {
    const headers = { authorization: `Bearer ${customer.token}` }
    const unknown = await call(server, method, '/elsewhere/api/nothing')
    const elsewhere = [unknown.status, plain(unknown.text, '/elsewhere/api/nothing')]
    for (const given of [{}, headers, { ...headers, cookie: `console=${'a'.repeat(43)}` }]) {
      const answer = await call(server, method, url, { headers: given })
      expect([method, url, answer.status, plain(answer.text, url)]).toEqual([method, url, 404, elsewhere[1]])
    }
  }
})

test('each role may do what the matrix says', async () => {
  for (const role of ['owner', 'support', 'finance', 'viewer'] as const)
    for (const { method, url, line, roles } of lines) {
      const operator = await (line.startsWith('DELETE') ? openConsole(server, role) : console(role))
      const { status, body } = await operator.call(
        method,
        url.replace('/operator/api', ''),
        method === 'GET' ? undefined : {},
      )
      // Beyond the role, an empty body is refused for what it lacks.
      if (roles.includes(role)) expect([line, role, status === 403]).toEqual([line, role, false])
      else expect([line, role, status, body.code]).toEqual([line, role, 403, 'forbidden'])
    }
})

test('changes need the token of the session, a second factor, and for money and people a recent one', async () => {
  for (const { method, url, line, fresh, roles } of lines) {
    if (method === 'GET' || line === 'DELETE /operator/api/session') continue
    const role = roles[0] as 'owner'
    const path = url.replace('/operator/api', '')
    const proved = await console(role)
    const other = await console(role, {}, 'other')
    for (const token of ['', other.csrfToken]) {
      const { status, body } = await proved.call(method, path, {}, { 'x-csrf-token': token })
      expect([line, status, body.code]).toEqual([line, 403, 'forbidden'])
    }
    const without = await console(role, { provedAgoSeconds: null })
    const reading = await without.call(method, path, {})
    expect([line, reading.status, reading.body.code]).toEqual([line, 403, 'second_factor_required'])
    const stale = await (await console(role, { provedAgoSeconds: 601 })).call(method, path, {})
    expect([line, stale.body.code === 'second_factor_required']).toEqual([line, fresh])
    // It ages while the others are asked. That it counts for ten minutes, list-customers.test.ts sees.
    const recent = await (await console(role, { provedAgoSeconds: 300 })).call(method, path, {})
    expect([line, recent.body.code === 'second_factor_required']).toEqual([line, false])
  }
})
