/**
 * Better Auth's API key plugin as in its documentation: keys with a remaining count in PostgreSQL, verified and
 * decremented by `verifyApiKey`. It writes no usage row. Its rate limit, which would cost another update, is off.
 */
import { apiKey } from '@better-auth/api-key'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import pg from 'pg'
import type { RestPeerSetup } from '../wire.ts'
import { serve, setup } from './serve.ts'

const CREDITS = 1_000_000_000
const { answers, databaseUrl, keys: count = 0 } = await setup<RestPeerSetup>()
const byPath = new Map(answers.map((answer) => [answer.path, answer]))

const options = {
  database: new pg.Pool({ connectionString: databaseUrl, max: 20 }),
  secret: 'only for the bench, where nothing is secret',
  baseURL: 'http://127.0.0.1',
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
} satisfies BetterAuthOptions
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)

const { user } = await auth.api.signUpEmail({
  body: { email: 'bench@example.com', name: 'Bench', password: 'only for the bench' },
})
const keys: string[] = []
while (keys.length < count) {
  const some = Math.min(20, count - keys.length)
  const made = await Promise.all(
    Array.from({ length: some }, () => auth.api.createApiKey({ body: { userId: user.id, remaining: CREDITS } })),
  )
  keys.push(...made.map(({ key }) => key))
}

serve((request, response) => {
  const key = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const answer = byPath.get(request.url ?? '')
  auth.api.verifyApiKey({ body: { key } }).then(
    ({ valid }) => {
      if (!valid || !answer) return void response.writeHead(answer ? 401 : 404).end()
      response.writeHead(200, answer.headers).end(answer.body)
    },
    (error: Error) => {
      console.error(error.message)
      response.writeHead(503).end()
    },
  )
}, keys)
