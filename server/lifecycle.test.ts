import { readFile } from 'node:fs/promises'
import { describe, expect, test, vi } from 'vitest'
import { erasePeople } from './features/deletion/erase-people.ts'
import { buildExports } from './features/export/build-exports.ts'
import { suspendNow } from './features/operator/testing/suspend.ts'
import { closeAfterTests } from './testing/close-after-tests.ts'
import { startTestServer } from './testing/harness.ts'
import {
  askApproval,
  makeMembership,
  makeWorld,
  openStream,
  redeemCode,
  refreshTokens,
  type World,
} from './testing/lifecycle-world.ts'
import { call } from './testing/session.ts'

/**
 * What becomes of each thing when access ends. `yes`: it works. `no`: it is refused, and works again if the change is
 * undone. `ended`: it never works again.
 */
type Outcome = 'yes' | 'no' | 'ended'
type State = (typeof states)[number]

/** The first is the control. `removed` to `deleted` happen to an admin, the others to the workspace. */
const states = [
  'active',
  'removed',
  'left',
  'demoted',
  'banned',
  'deleted',
  'suspended',
  'ending',
  'ended with its owner',
] as const

interface Thing {
  /** Its row in docs/security.md. */
  name: string
  /** In the order of `columns`. */
  outcomes: [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome]
  works: (world: World, state: State) => Promise<boolean>
  /** It can be tried once only, so undoing the change cannot be tried on it. */
  once?: true
}

/** The columns of the table: what it calls a state, and the states that it covers. */
const columns: [string, State[]][] = [
  ['Removed, or left', ['removed', 'left']],
  ['Now a member', ['demoted']],
  ['Banned', ['banned']],
  ['Deleted', ['deleted']],
  ['Suspended', ['suspended']],
  ['Deletion requested', ['ending']],
  ['Deleted', ['ended with its owner']],
]

const ok = ({ status }: { status: number }): boolean => status < 400
const fetched = async (url: string): Promise<boolean> => ok(await fetch(url, { redirect: 'manual' }))
const changes = (state: State) =>
  ({
    active: 'select $1::uuid, $2::uuid',
    removed: deleteMembership,
    left: deleteMembership,
    demoted: `update account_members set role = 'member' where user_id = $1 and $2::uuid is not null and role = 'admin'`,
    banned: `update auth.users set banned_until = app_now() + interval '1 day' where id = $1 and $2::uuid is not null`,
    deleted: 'delete from auth.users where id = $1 and $2::uuid is not null',
    suspended: `update accounts set suspended_at = app_now() where public_id = $2 and $1::uuid is not null`,
    ending: `update profiles set deletion_requested_at = app_now(), deletion_due_at = app_now() + interval '14 days'
      where user_id = $1 and $2::uuid is not null`,
    'ended with its owner': 'delete from auth.users where id = $1 and $2::uuid is not null',
  })[state]
const deleteMembership =
  'delete from account_members m using accounts a where a.id = m.account_id and m.user_id = $1 and a.public_id = $2'

const things: Thing[] = [
  {
    name: 'API keys of the workspace',
    outcomes: ['yes', 'yes', 'yes', 'yes', 'no', 'ended', 'ended'],
    works: ({ apiKey }) =>
      call(server, 'GET', '/v1/bars/AAPL?range=1mo', { headers: { 'x-api-key': apiKey } }).then(ok),
  },
  {
    name: 'Connected apps: access tokens',
    outcomes: ['ended', 'ended', 'no', 'ended', 'no', 'ended', 'ended'],
    async works({ oauth }) {
      const answer = await call(server, 'POST', '/mcp', {
        headers: { authorization: `Bearer ${oauth.access}` },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'get_quote', arguments: { symbols: ['AAPL'] } },
        },
      })
      return ok(answer) && !answer.body.result.isError
    },
  },
  {
    name: 'Connected apps: refresh tokens',
    outcomes: ['ended', 'ended', 'no', 'ended', 'yes', 'ended', 'ended'],
    async works({ oauth }) {
      const answer = await refreshTokens(server, oauth.client, oauth.refresh)
      if (ok(answer)) Object.assign(oauth, { access: answer.body.access_token, refresh: answer.body.refresh_token })
      return ok(answer)
    },
  },
  {
    name: 'Connected apps: codes not yet exchanged',
    outcomes: ['ended', 'ended', 'no', 'ended', 'yes', 'ended', 'ended'],
    works: ({ oauth }) => redeemCode(server, oauth.client, oauth.code).then(ok),
  },
  {
    name: 'Session, in this workspace',
    outcomes: ['no', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    works: ({ act }) => act('GET', '/api/usage').then(ok),
  },
  {
    name: 'Session: refresh token',
    outcomes: ['yes', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    async works(world) {
      const answer = await call(server, 'POST', '/auth/v1/token?grant_type=refresh_token', {
        body: { refresh_token: world.sessionRefresh },
      })
      if (ok(answer)) world.sessionRefresh = answer.body.refresh_token
      return ok(answer)
    },
  },
  {
    name: 'Playground: open event streams',
    outcomes: ['ended', 'yes', 'ended', 'ended', 'yes', 'yes', 'ended'],
    once: true,
    async works({ act, stream }) {
      await act('POST', '/api/playground/servers/finmeter/connect', {})
      return (await stream.next()) !== null
    },
  },
  {
    name: 'Playground: unused stream tickets',
    outcomes: ['ended', 'yes', 'ended', 'ended', 'yes', 'yes', 'ended'],
    once: true,
    async works({ ticket }) {
      const stream = await openStream(server, ticket)
      await stream.cancel()
      return ok(stream)
    },
  },
  {
    name: 'Invitations that they sent',
    outcomes: ['ended', 'ended', 'no', 'ended', 'no', 'ended', 'ended'],
    works: ({ invitation: { guest, token } }) =>
      guest.call('POST', '/api/invitations/accept', { body: { token } }).then(ok),
  },
  {
    name: 'Links to CSV files',
    outcomes: ['no', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    works: ({ csvLink }) => fetched(csvLink),
  },
  {
    name: 'Links to invoices',
    outcomes: ['no', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    works: ({ invoiceLink }) => fetched(invoiceLink),
  },
  {
    name: 'Links to the export of their own data',
    outcomes: ['yes', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    works: ({ exportLink }) => fetched(exportLink),
  },
  {
    name: 'Exports that are being built',
    outcomes: ['yes', 'yes', 'no', 'ended', 'yes', 'yes', 'ended'],
    async works({ runningExport }) {
      await buildExports(server.deps)
      return fetched(runningExport)
    },
  },
  {
    name: 'Requests in progress that create a key',
    outcomes: ['no', 'no', 'no', 'no', 'no', 'no', 'no'],
    once: true,
    works: createKeyDuring,
  },
  {
    name: 'New keys, invitations, connections and purchases',
    outcomes: ['no', 'no', 'no', 'ended', 'no', 'no', 'ended'],
    async works({ act, oauth }) {
      const answers = [
        await act('POST', '/api/keys', { name: 'New' }),
        await act('POST', '/api/team/invitations', { email: `${crypto.randomUUID()}@example.com` }),
        await act('POST', '/api/billing/credits/topup', { packs: 1 }),
        await act('POST', '/api/billing/credits/auto-topup', { enabled: true }),
        await askApproval(server, act, oauth.client),
      ]
      const works = new Set(answers.map(ok))
      expect(works.size, answers.map(({ text }) => text).join('\n')).toBe(1)
      return works.has(true)
    },
  },
  {
    name: 'Turning things off',
    outcomes: ['no', 'no', 'no', 'ended', 'yes', 'yes', 'ended'],
    works: ({ act }) => act('POST', '/api/billing/credits/auto-topup', { enabled: false }).then(ok),
  },
]

/**
 * Makes the change while a request that has passed the session guard waits to create a key. The change goes directly to the
 * database, because a second request would wait behind the first.
 */
async function createKeyDuring(_world: World, state: State): Promise<boolean> {
  const { act, person, workspaceId } = await makeMembership(server, isOwn(state))
  const holder = await server.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from accounts where public_id = $1 for update', [workspaceId])
    const creating = act('POST', '/api/keys', { name: 'Late' })
    await vi.waitUntil(
      async () => {
        await holder.query('select pg_stat_clear_snapshot()')
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await holder.query(waiting)).rowCount === 1
      },
      { timeout: 120_000 },
    )
    await holder.query(changes(state), [person.userId, workspaceId])
    await holder.query('commit')
    return ok(await creating)
  } finally {
    holder.release()
  }
}

const isOwn = (state: State): boolean => state === 'ending' || state === 'ended with its owner'

/** Brings the person or the workspace into a state, as people and operators do. */
async function enter(state: State, { act, owner, person, workspaceId }: World): Promise<void> {
  const member = `/api/team/members/${person.userId}`
  const accept = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    expect(status, text).toBe(200)
  }
  const requestDeletion = () =>
    accept(person.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } }))
  const erase = async () => {
    await server.db.pool.query('update profiles set deletion_due_at = app_now() where user_id = $1', [person.userId])
    expect(await erasePeople(server.deps)).toBe(1)
  }
  if (state === 'removed') await accept(owner.call('DELETE', member))
  if (state === 'left') await accept(act('POST', '/api/team/leave'))
  if (state === 'demoted') await accept(owner.call('PUT', member, { body: { role: 'member' } }))
  if (state === 'banned') await setBan(person.userId, '24h')
  if (state === 'suspended') await suspendNow(server.db, workspaceId, true)
  if (isOwn(state) || state === 'deleted') await requestDeletion()
  if (state === 'deleted' || state === 'ended with its owner') await erase()
}

/** Takes the change back. A deletion cannot be. */
async function undo(state: State, { owner, person, workspaceId }: World): Promise<void> {
  const member = `/api/team/members/${person.userId}`
  if (state === 'removed' || state === 'left')
    await server.db.pool.query(
      `insert into account_members (account_id, user_id, role) select id, $2, 'admin' from accounts where public_id = $1`,
      [workspaceId, person.userId],
    )
  if (state === 'demoted') await owner.call('PUT', member, { body: { role: 'admin' } })
  if (state === 'banned') await setBan(person.userId, 'none')
  if (state === 'suspended') await suspendNow(server.db, workspaceId, false)
  if (state === 'ending') await person.call('DELETE', '/api/account/deletion')
}

async function setBan(userId: string, ban_duration: string): Promise<void> {
  const authorization = `Bearer ${await server.deps.accessTokens.signServiceKey()}`
  const answer = await call(server, 'PUT', `/auth/v1/admin/users/${userId}`, {
    body: { ban_duration },
    headers: { authorization },
  })
  expect(answer.status, answer.text).toBe(200)
}

const expected = (state: State, { outcomes }: Thing): Outcome =>
  state === 'active' ? 'yes' : outcomes[columns.findIndex(([, covered]) => covered.includes(state))]!

const server = await closeAfterTests(startTestServer())

describe.each(states)('%s', (state) => {
  test('what still works is what the table says, also when the change is undone', async () => {
    const world = await makeWorld(server, isOwn(state))
    await enter(state, world)
    const found: Record<string, boolean> = {}
    for (const thing of things) found[thing.name] = await thing.works(world, state)
    const wanted = things.map((thing) => [thing.name, expected(state, thing) === 'yes'])
    expect(found).toEqual(Object.fromEntries(wanted))

    await undo(state, world)
    const again = things.filter((thing) => !thing.once && expected(state, thing) !== 'yes')
    for (const thing of again) {
      // A meter hears of the change by notification, so its refusals may end a moment later.
      if (expected(state, thing) === 'no')
        await expect.poll(() => thing.works(world, state), { message: thing.name }).toBe(true)
      else expect(await thing.works(world, state), thing.name).toBe(false)
    }
    await world.stream.cancel()
  }, 180_000)
})

test('docs/security.md has the same table', async () => {
  const text = await readFile(new URL('../docs/security.md', import.meta.url), 'utf8')
  const section = text.split('## What ends, and when')[1]!.split('\n\nReport a weakness')[0]!
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(rows[0]!.slice(1)).toEqual(
    columns.map(([name], i) => `${i < 4 ? 'Person' : 'Workspace'}: ${name.toLowerCase()}`),
  )
  expect(rows.slice(2)).toEqual(things.map(({ name, outcomes }) => [name, ...outcomes]))
})
