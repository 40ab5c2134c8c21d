import { expect, test } from 'vitest'
import { operatorRoutes } from '#contract/operator/routes.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { call, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole } from '../testing/console.ts'

/** Every operation of the console, with the roles that may use it. `fresh`: after a proof of a second factor in the last ten minutes. */
const matrix: Record<string, string> = {
  'GET /operator/api/session': 'owner support finance viewer',
  'DELETE /operator/api/session': 'owner support finance viewer',
  'GET /operator/api/operators': 'owner support finance viewer',
  'POST /operator/api/operators': 'owner, fresh',
  'POST /operator/api/operators/{id}/remove': 'owner, fresh',
  'GET /operator/api/log': 'owner support finance viewer',
  'GET /operator/api/delivery': 'owner support finance viewer',
  'GET /operator/api/delivery/{channel}': 'owner support finance viewer',
  'POST /operator/api/delivery/{channel}/retry': 'owner support finance',
  'GET /operator/api/failing-calls': 'owner support finance viewer',
  'GET /operator/api/attention': 'owner support finance viewer',
  'POST /operator/api/attention/acknowledge': 'owner support finance',
  'GET /operator/api/health': 'owner support finance viewer',
  'GET /operator/api/go-live': 'owner support finance viewer',
  'GET /operator/api/switches': 'owner support finance viewer',
  'POST /operator/api/switches/sales': 'owner, fresh',
  'POST /operator/api/switches/upstream': 'owner, fresh',
  'POST /operator/api/switches/banner': 'owner, fresh',
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

const ends = (line: string): boolean => line === 'DELETE /operator/api/session'

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
  for (const role of ['owner', 'support', 'finance', 'viewer'] as const) {
    // The entrance has a limit: a session serves for all lines, and the one that it ends with comes last.
    const operator = await openConsole(server, role)
    for (const { method, url, line, roles } of lines.toSorted((a, b) => Number(ends(a.line)) - Number(ends(b.line)))) {
      const { status, body } = await operator.call(
        method,
        url.replace('/operator/api', ''),
        method === 'GET' ? undefined : {},
      )
      // Beyond the role, an empty body is refused for what it lacks.
      if (roles.includes(role)) expect([line, role, status === 403]).toEqual([line, role, false])
      else expect([line, role, status, body.code]).toEqual([line, role, 403, 'forbidden'])
    }
  }
})

test('changes need the token of the session, a second factor, and for money and people a recent one', async () => {
  const sessionsOf = async (role: 'owner') => ({
    proved: await openConsole(server, role),
    other: await openConsole(server, role),
    without: await openConsole(server, role, { provedAgoSeconds: null }),
    old: await openConsole(server, role, { provedAgoSeconds: 601 }),
    young: await openConsole(server, role, { provedAgoSeconds: 480 }),
  })
  const byRole = new Map<string, Awaited<ReturnType<typeof sessionsOf>>>()
  for (const { method, url, line, fresh, roles } of lines) {
    if (method === 'GET' || ends(line)) continue
    const role = roles[0] as 'owner'
    const path = url.replace('/operator/api', '')
    const { proved, other, without, old, young } = byRole.get(role) ?? (await sessionsOf(role))
    byRole.set(role, { proved, other, without, old, young })
    for (const token of ['', other.csrfToken]) {
      const { status, body } = await proved.call(method, path, {}, { 'x-csrf-token': token })
      expect([line, status, body.code]).toEqual([line, 403, 'forbidden'])
    }
    const reading = await without.call(method, path, {})
    expect([line, reading.status, reading.body.code]).toEqual([line, 403, 'second_factor_required'])
    const stale = await old.call(method, path, {})
    expect([line, stale.body.code === 'second_factor_required']).toEqual([line, fresh])
    const recent = await young.call(method, path, {})
    expect([line, recent.body.code === 'second_factor_required']).toEqual([line, false])
  }
})
