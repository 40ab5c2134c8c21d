import type { TestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { charging } from '../../metering/charging.ts'
import type { MeteredCall } from '../../metering/meter.ts'

/** A new person with two keys, and calls that are charged to them. */
export async function personWithTwoKeys(server: TestServer) {
  const person = await startSession(server)
  const get = async (path: string) => (await person.call('GET', path)).body.data
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  await person.call('POST', '/api/keys', { body: { name: 'Second' } })
  const keys: { id: string; keyId: number }[] = []
  let accountId = 0
  for (const { id } of (await get('/api/keys')).apiKeys) {
    const { rows } = await server.db.pool.query('select id, account_id from api_keys where public_id = $1', [id])
    keys.push({ id, keyId: rows[0].id })
    accountId = rows[0].account_id
  }
  const toolId = server.deps.tools.current().get('get_bars')?.id ?? 0
  /** A call with the key at this index; null: in the playground. */
  const spend = (key: number | null, change: Partial<MeteredCall> = {}) =>
    server.deps.meter[charging].commit({
      accountId,
      bucket: 0,
      keyId: key === null ? null : (keys[key]?.keyId ?? 0),
      toolId,
      credits: 2,
      status: 'success',
      durationMs: 12,
      ...change,
    })
  return { person, accountId, keys, toolId, get, spend }
}
