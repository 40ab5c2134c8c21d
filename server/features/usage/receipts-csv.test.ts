import { beforeEach, describe, expect, test } from 'vitest'
import { homeOf } from '#server/db/buckets.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { personWithTwoKeys } from './testing/person-with-two-keys.ts'

type Prepared = Awaited<ReturnType<typeof personWithTwoKeys>>
let accountId: Prepared['accountId']
let keys: Prepared['keys']
let toolId: Prepared['toolId']
let get: Prepared['get']
let spend: Prepared['spend']

const server = await closeAfterTests(startTestServer())
beforeEach(async () => {
  ;({ accountId, keys, toolId, get, spend } = await personWithTwoKeys(server))
})

describe('receipts', () => {
  test('go out as CSV by a link that needs no session, with the same filter', async () => {
    await server.db.pool.query('update api_keys set name = $2 where id = $1', [keys[1]?.keyId, '=1+1,"x"'])
    await spend(0)
    await spend(1)
    await spend(null, { status: 'failed' })
    const all = await get('/api/usage/receipts')
    const read = async (query: string) => {
      const { url } = await get(`/api/usage/receipts/csv?${query}`)
      const answer = await fetch(url)
      return { answer, lines: (await answer.text()).split('\r\n'), url: url as string }
    }
    const whole = await read('')
    expect([whole.answer.status, whole.answer.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ])
    expect(whole.answer.headers.get('content-disposition')).toBe('attachment; filename="finmeter-calls.csv"')
    const [failed, second, first] = all.receipts
    expect(whole.lines).toEqual([
      'time,receipt,tool,key,status,credits,from_credits,from_pay_as_you_go,duration_ms',
      `${failed.time},${failed.id},get_bars,Playground,failed,0,0,0,12`,
      `${second.time},${second.id},get_bars,"'=1+1,""x""",success,2,2,0,12`,
      `${first.time},${first.id},get_bars,Default,success,2,2,0,12`,
      '',
    ])
    expect((await read('status=failed&tool=get_bars')).lines).toHaveLength(3)
    for (const forged of [
      whole.url.replace('receipts.csv?', 'receipts.csv?status=failed&'),
      whole.url.replace(/signature=.{4}/, 'signature=AAAA'),
      whole.url.replace(/expires=\d/, 'expires=9'),
      whole.url.split('?')[0]!,
    ]) {
      const answer = await fetch(forged)
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found'])
    }
  })

  test('of a log longer than one page are complete, in order, without repetition', async () => {
    const home = await homeOf(server.db, accountId)
    await home.pool.query(
      `insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
       select $1, app_now() - (i / 7) * interval '1 ms', $2, gen_random_uuid(), 1, $3, i % 9, 0, 0, i % 3 <> 0 from generate_series(1, 5000) i`,
      [accountId, keys[0]?.keyId, toolId],
    )
    const read = async (query: string) => {
      const text = await (await fetch((await get(`/api/usage/receipts/csv?${query}`)).url)).text()
      return text.trimEnd().split('\r\n').slice(1)
    }
    const lines = await read('')
    expect([lines.length, new Set(lines).size]).toEqual([5_000, 5_000])
    const times = lines.map((line) => line.slice(0, 24))
    expect(times).toEqual(times.toSorted().toReversed())
    expect(await read('status=failed')).toHaveLength(1_666)
    await home.pool.query('delete from usage_events where account_id = $1', [accountId])
  })
})
