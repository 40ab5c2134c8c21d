/**
 * The obvious implementation: each call is one transaction on the product's own tables, with the same checks and the
 * same records (key, state, due credits, balance; usage row, hourly and daily sum). One prepared statement and one
 * round trip per call; the account's row lock is its only queue.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { RestPeerSetup } from '../wire.ts'
import { serve, setup } from './serve.ts'

const CREDITS = 1
const TOOL_ID = 1
const { answers, databaseUrl } = await setup<RestPeerSetup>()
const byPath = new Map(answers.map((answer) => [answer.path, answer]))
// The metering tables of the only bucket.
const pool = new pg.Pool({ connectionString: databaseUrl, max: 20, options: '-c search_path=m00,public' })

const statement = {
  name: 'charge',
  text: `
    with caller as (
      select k.id as key_id, k.account_id, app_now() as at from api_keys k join meter_keys m on m.key_id = k.id
      where k.hash = $1 and k.deleted_at is null and (k.expires_at is null or k.expires_at > app_now())
        and m.live and (m.monthly_budget is null or m.budget_left >= $2)
    ), charged as (
      update credit_accounts a set balance = a.balance - $2, unsettled = a.unsettled + $2
      from caller where a.account_id = caller.account_id and not a.blocked and a.due_at > caller.at and a.balance >= $2
      returning a.account_id, a.balance, caller.key_id, caller.at
    ), used as (
      insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
      select account_id, at, key_id, gen_random_uuid(), 1, $3, 0, $2, 0, true from charged
    ), summed as (
      insert into usage_open as o (account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at)
      select account_id, key_id, date_trunc('hour', at, 'UTC'), 0, 1, 0, 0, $2, 0, at from charged
      on conflict (account_id, hour, key_id, bucket) do update set success = o.success + 1, from_credits = o.from_credits + excluded.from_credits,
        last_at = greatest(o.last_at, excluded.last_at)
    )
    select balance from charged`,
}

serve((request, response) => {
  const key = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const answer = byPath.get(request.url ?? '')
  const hash = createHash('sha256').update(key).digest()
  pool.query({ ...statement, values: [hash, CREDITS, TOOL_ID] }).then(
    ({ rows }) => {
      if (rows.length === 0 || !answer) return void response.writeHead(answer ? 402 : 404).end()
      response.writeHead(200, answer.headers).end(answer.body)
    },
    (error: Error) => {
      console.error(error.message)
      response.writeHead(503).end()
    },
  )
})
