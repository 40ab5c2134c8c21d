import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operatorRoutes } from '#contract/operator/routes.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { call, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { cookieOf, enterConsole, openConsole } from '../testing/console.ts'
import { offerOperator } from './offer-operator.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const confirmAddress = (on: TestServer, { userId, email }: TestSession) =>
  on.db.pool.query('update auth.users set email = $2, email_confirmed_at = app_now() where id = $1', [userId, email])
const root = resolve(import.meta.dirname, '../../../..')
const second = () => Math.floor(Date.now() / 1000)

test('no file of the customers’ bundle holds a path of the console', () => {
  const files = globSync('dist/web/**/*.{js,css,html,json,map}', { cwd: root })
  expect(files.length).toBeGreaterThan(50)
  const paths = new Set(Object.values(operatorRoutes).map(({ path }) => path.split('{')[0]!))
  const held = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...paths].filter((path) => text.includes(path)).map((path) => [file, path])
  })
  expect(held).toEqual([])
})

describe('the entrance', () => {
  test('gives an operator a cookie of its own that scripts and other sites cannot use', async () => {
    const { email } = await openConsole(server, 'owner')
    const again = await startSession(server, { email, provedAt: second() })
    expect((await enterConsole(again)).status).toBe(404)
    const person = await startSession(server, { email: 'first@example.com' })
    await confirmAddress(server, person)
    await server.db.pool.query(
      `insert into operators (email, role, added_by) values ('first@example.com', 'viewer', 'test')`,
    )
    const entered = await enterConsole(person)
    expect(entered.headers.get('set-cookie')).toMatch(
      /^console=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    const { rows } = await server.db.pool.query('select hash from operator_sessions')
    expect(rows.map(({ hash }) => hash.toString('base64url'))).not.toContain(cookieOf(entered).split('=')[1])
  })

  test('is nothing for a customer, for a sign-in that ended, and without one', async () => {
    const customer = await startSession(server)
    expect((await enterConsole(customer)).status).toBe(404)
    expect((await call(server, 'POST', '/operator/session')).status).toBe(404)
    const { person } = await openConsole(server, 'owner')
    await server.db.pool.query('delete from auth.sessions where user_id = $1', [person.userId])
    const ended = await enterConsole(person)
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([404, null])
  })

  test('asks a person with a second factor for it', async () => {
    const { person, email } = await openConsole(server, 'owner')
    await server.db.pool.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status) values ($1, $2, 'totp', 'verified')`,
      [randomUUID(), person.userId],
    )
    const weak = await startSession(server, { email, userId: person.userId })
    const refused = await enterConsole(weak)
    expect([refused.status, refused.body.code, refused.headers.get('set-cookie')]).toEqual([
      403,
      'second_factor_required',
      null,
    ])
  })

  test('an address alone opens nothing once a user has entered with it', async () => {
    const { email } = await openConsole(server, 'owner')
    const thief = await startSession(server, { email, provedAt: second() })
    expect((await enterConsole(thief)).status).toBe(404)
  })

  test('stays open for an operator whose new address somebody added, too: the role that they have counts', async () => {
    const { person } = await openConsole(server, 'support')
    await server.db.pool.query(
      `insert into operators (email, role, added_by) values ('moved@example.com', 'owner', 'test')`,
    )
    const moved = await startSession(server, { email: 'moved@example.com', userId: person.userId, provedAt: second() })
    const entered = await enterConsole(moved)
    expect(entered.status).toBe(200)
    const session = await call(server, 'GET', '/operator/api/session', { headers: { cookie: cookieOf(entered) } })
    expect(session.body.data.role).toBe('support')
  })

  test('a new session ends the one that it replaces', async () => {
    const operator = await openConsole(server, 'support')
    const entered = await operator.person.call('POST', '/operator/session', { headers: { cookie: operator.cookie } })
    expect(entered.status).toBe(200)
    expect((await operator.call('GET', '/session')).status).toBe(404)
  })
})

describe('a session', () => {
  test('ends with the role, with the sign-in, when the person leaves, and after twelve hours', async () => {
    const [removed, signedOut, left, old] = await Promise.all([1, 2, 3, 4].map(() => openConsole(server, 'viewer')))
    const status = async (operator = removed!) => (await operator.call('GET', '/session')).status
    expect(await status(removed)).toBe(200)
    await server.db.pool.query('delete from operators where email = $1', [removed!.email])
    expect(await status(removed)).toBe(404)
    await server.db.pool.query('delete from auth.sessions where user_id = $1', [signedOut!.person.userId])
    expect(await status(signedOut)).toBe(404)
    const leaving = await left!.call('DELETE', '/session')
    expect(leaving.headers.get('set-cookie')).toMatch(/^console=; Path=\/; Max-Age=0/)
    expect(await status(left)).toBe(404)
    await server.db.pool.query(
      `update operator_sessions set expires_at = expires_at - interval '12 hours'
       where operator_id = (select id from operators where email = $1)`,
      [old!.email],
    )
    expect(await status(old)).toBe(404)
  })

  test('an open page of a demoted operator has the new role at once', async () => {
    const operator = await openConsole(server, 'owner')
    await openConsole(server, 'owner')
    await server.db.pool.query(`update operators set role = 'viewer' where email = $1`, [operator.email])
    const { status, body } = await operator.act('/operators', { email: 'x@example.com', role: 'owner' })
    expect([status, body.error]).toEqual([403, 'This needs the role owner. Your role is viewer.'])
  })

  test('opens the pages, which are not there for anybody else', async () => {
    const { cookie } = await openConsole(server, 'viewer')
    const page = await call(server, 'GET', '/operator', { headers: { cookie } })
    const asset = /\/operator\/assets\/index-[\w-]+\.js/.exec(page.text)![0]
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    const script = await call(server, 'GET', asset, { headers: { cookie, 'accept-encoding': 'br' } })
    expect([script.status, script.headers.get('content-encoding'), script.headers.get('cache-control')]).toEqual([
      200,
      'br',
      'private, max-age=31536000, immutable',
    ])
    expect((await call(server, 'GET', '/operator/operators', { headers: { cookie } })).text).toBe(page.text)
    for (const path of [
      '/operator',
      '/operator/operators',
      asset,
      '/operator/assets/none.js',
      '/operator/index.html',
    ]) {
      const hidden = await call(server, 'GET', path)
      expect([path, hidden.status, hidden.text.includes('<script type="module" crossorigin src="/operator/')]).toEqual([
        path,
        404,
        false,
      ])
    }
    expect((await call(server, 'GET', '/operator/assets/none.js', { headers: { cookie } })).status).toBe(404)
  })
})

describe('operators', () => {
  test('an owner adds one, changes the role, removes one, each once and with a reason', async () => {
    const owner = await openConsole(server, 'owner')
    const email = `${randomUUID().slice(0, 8)}@example.com`
    const id = randomUUID()
    for (const _ of [1, 2]) {
      const added = await owner.act('/operators', { email: email.toUpperCase(), role: 'support' }, id)
      expect([added.status, added.body.data.operator]).toMatchObject([
        200,
        { email, role: 'support', entered: false, added_by: owner.email },
      ])
    }
    const changed = await owner.act('/operators', { email, role: 'finance' })
    const entry = changed.body.data.operator
    expect(entry.role).toBe('finance')
    expect((await owner.act(`/operators/${entry.id}/remove`)).body.data).toEqual({ removed: true })
    expect((await owner.act(`/operators/${entry.id}/remove`)).status).toBe(404)
    const log = await owner.call('GET', '/log')
    const mine = log.body.data.entries.filter((one: { operator: string }) => one.operator === owner.email)
    expect(
      mine.map(({ action, reason, before, after }: Record<string, unknown>) => ({ action, reason, before, after })),
    ).toEqual([
      {
        action: 'operator.removed',
        reason: 'Asked for by the customer',
        before: { email, role: 'finance' },
        after: null,
      },
      {
        action: 'operator.set',
        reason: 'Asked for by the customer',
        before: { role: 'support' },
        after: { role: 'finance' },
      },
      { action: 'operator.set', reason: 'Asked for by the customer', before: null, after: { role: 'support' } },
    ])
  })

  test('an act without a reason, or with nine characters, is refused with what it lacks', async () => {
    const owner = await openConsole(server, 'owner')
    const body = { act_id: randomUUID(), email: 'a@example.com', role: 'viewer' }
    // Hidden characters would let the log show other words than it has.
    const hidden = ['Asked\u202e for by mail', 'Asked for\nby mail', 'Asked for by mail\u0007.']
    for (const reason of [undefined, '123456789', ' '.repeat(20), 'x'.repeat(501), ...hidden]) {
      const { status, body: refused } = await owner.call('POST', '/operators', { ...body, reason })
      expect([status, refused.code]).toEqual([400, 'invalid_parameter'])
    }
  })

  test('an id of an act that two operators send at once serves one of them', async () => {
    const [one, other] = [await openConsole(server, 'owner'), await openConsole(server, 'owner')]
    for (let round = 0; round < 10; round++) {
      const id = randomUUID()
      const add = (owner: typeof one, email: string) => owner.act('/operators', { email, role: 'viewer' }, id)
      const answers = await Promise.all([add(one, `one-${id}@example.com`), add(other, `other-${id}@example.com`)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('an id of an act serves one act', async () => {
    const owner = await openConsole(server, 'owner')
    const id = randomUUID()
    await owner.act('/operators', { email: 'once@example.com', role: 'viewer' }, id)
    const { rows } = await server.db.pool.query(`select id from operators where email = 'once@example.com'`)
    const { status, body } = await owner.act(`/operators/${rows[0].id}/remove`, {}, id)
    expect([status, body.code]).toEqual([409, 'conflict'])
  })

  test('a form that is sent again with other values is told that the first ones count', async () => {
    const owner = await openConsole(server, 'owner')
    const id = randomUUID()
    const send = (role: string, reason = 'A new colleague') =>
      owner.act('/operators', { email: 'again@example.com', role, reason }, id)
    expect((await send('viewer')).status).toBe(200)
    // The same form, with a reason that was written better.
    expect((await send('viewer', 'A new colleague in Bern')).status).toBe(200)
    const { status, body } = await send('finance')
    expect([status, body.error]).toEqual([
      409,
      'This form was already sent with other values, and they were applied. Reload the page to see them.',
    ])
    const { rows } = await server.db.pool.query(`select role from operators where email = 'again@example.com'`)
    expect(rows).toEqual([{ role: 'viewer' }])
  })

  test('the last owner cannot go, not even when two remove each other at once', async () => {
    await server.db.pool.query(`delete from operators where role = 'owner'`)
    const [one, other] = await Promise.all([openConsole(server, 'owner'), openConsole(server, 'owner')])
    const idOf = async (email: string) =>
      (await server.db.pool.query('select id from operators where email = $1', [email])).rows[0].id
    const [oneId, otherId] = [await idOf(one.email), await idOf(other.email)]
    const answers = await Promise.all([
      one.act(`/operators/${otherId}/remove`),
      other.act(`/operators/${oneId}/remove`),
    ])
    const { rows } = await server.db.pool.query(`select email from operators where role = 'owner'`)
    expect([answers.filter(({ status }) => status === 200).length, rows.length]).toEqual([1, 1])
    const last = rows[0].email === one.email ? one : other
    const lastId = last === one ? oneId : otherId
    const refused = await last.act(`/operators/${lastId}/remove`)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'The last owner cannot be removed. Make another operator an owner first.',
    ])
    const demoted = await last.act('/operators', { email: last.email, role: 'viewer' })
    expect(demoted.status).toBe(409)
  })
})

test('a trial on one machine offers an operator until there is one', async () => {
  const trial = await startTestServer()
  try {
    await offerOperator(trial.db.kysely)
    await offerOperator(trial.db.kysely)
    const person = await startSession(trial, { email: 'operator@example.com' })
    await confirmAddress(trial, person)
    const cookie = cookieOf(await enterConsole(person))
    const session = await call(trial, 'GET', '/operator/api/session', { headers: { cookie } })
    expect(session.body.data).toMatchObject({
      email: 'operator@example.com',
      role: 'owner',
      second_factor: 'not_needed',
    })
    await trial.db.pool.query(`update operators set email = 'real@example.com'`)
    await offerOperator(trial.db.kysely)
    expect((await trial.db.pool.query('select email from operators')).rows).toEqual([{ email: 'real@example.com' }])
  } finally {
    await trial.close()
  }
})

test('an owner who is being removed removes nobody meanwhile', async () => {
  const [leaver, victim] = [await openConsole(server, 'owner'), await openConsole(server, 'owner')]
  // Another owner stays in any case.
  await openConsole(server, 'owner')
  const { rows } = await server.db.pool.query('select id from operators where email = $1', [victim.email])
  const held = await server.db.pool.connect()
  try {
    await held.query('begin')
    await held.query('lock table operators in share row exclusive mode')
    const asked = leaver.act(`/operators/${rows[0].id}/remove`)
    const waiting = async () =>
      (
        await server.db.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rowCount
    await expect.poll(waiting).toBe(1)
    await held.query('delete from operators where email = $1', [leaver.email])
    await held.query('commit')
    const { status, body } = await asked
    expect([status, body.error]).toEqual([
      403,
      'Your role was changed meanwhile, so nothing was done. Reload the page.',
    ])
  } finally {
    held.release()
  }
  expect((await victim.call('GET', '/session')).status).toBe(200)
})
