import { randomUUID } from 'node:crypto'
import type { OperatorRole } from '#contract/operator/route.ts'
import { type Answer, call, startSession, type TestSession } from '../../../testing/session.ts'

export interface TestOperator {
  email: string
  /** The sign-in. It opens nothing of the console by itself. */
  person: TestSession
  cookie: string
  csrfToken: string
  /** Calls `/operator/api/...` with cookie and token of the session. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Calls an act: adds an id and a reason. */
  act: (path: string, body?: object, id?: string) => Promise<Answer>
}

/** Exchanges a sign-in for a session of the console. */
export const enterConsole = (person: TestSession): Promise<Answer> => person.call('POST', '/operator/session')

export const cookieOf = (answer: Answer): string => (answer.headers.get('set-cookie') ?? '').split(';', 1)[0]!

/** A signed-in operator with an open console, whose second factor was proved just now, or `provedAgoSeconds` ago; null: never. */
export async function openConsole(
  server: Parameters<typeof startSession>[0],
  role: OperatorRole,
  { provedAgoSeconds = 0 as number | null } = {},
): Promise<TestOperator> {
  const email = `${role}-${randomUUID().slice(0, 8)}@example.com`
  const proof = provedAgoSeconds === null ? {} : { provedAt: Math.floor(Date.now() / 1000) - provedAgoSeconds }
  const person = await startSession(server, { email, ...proof })
  // They have entered before, with the factor that they have.
  await server.db.pool.query(
    `insert into operators (email, role, added_by, user_id, factor_seen_at) values ($1, $2, 'test', $3, '-infinity')`,
    [email, role, person.userId],
  )
  const entered = await enterConsole(person)
  if (entered.status !== 200) throw new Error(`The console did not open: ${entered.status} ${entered.text}`)
  const cookie = cookieOf(entered)
  const session = await call(server, 'GET', '/operator/api/session', { headers: { cookie } })
  const csrfToken: string = session.body.data.csrf_token
  const send: TestOperator['call'] = (method, path, body, headers = {}) =>
    call(server, method, `/operator/api${path}`, { body, headers: { cookie, 'x-csrf-token': csrfToken, ...headers } })
  return {
    email,
    person,
    cookie,
    csrfToken,
    call: send,
    act: (path, body = {}, id = randomUUID()) =>
      send('POST', path, { act_id: id, reason: 'Asked for by the customer', ...body }),
  }
}
