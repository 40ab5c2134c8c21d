import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Noise, noiseProblems } from '../bench/noise.ts'
import { readOptions } from '../bench/options.ts'
import { differences, prove, type Recorded, type Seen } from '../bench/proof.ts'
import { median, summarize } from '../bench/results.ts'
import type { Target, TargetId, Work } from '../bench/target.ts'
import type { Slice } from '../bench/wire.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { createSecrets } from '../server/secrets/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../server/testing/harness.ts'

const seen: Seen = { sent: 1000, answered: 1000, refused: 0, broken: 0 }
const recorded: Recorded = { rows: 1000, failedRows: 0, charged: 1000, spent: 1000 }

describe('the proof at the end of the bench', () => {
  test('accepts equal counts, and rows of calls that nobody waited for', () => {
    expect(differences(seen, recorded)).toEqual([])
    expect(differences({ ...seen, sent: 1064 }, { rows: 1030, failedRows: 0, charged: 1030, spent: 1030 })).toEqual([])
  })

  test.each<[string, Partial<Seen>, Partial<Recorded>]>([
    ['an answer without its row', {}, { rows: 999, charged: 999, spent: 999 }],
    ['a row without a request', {}, { rows: 1001, charged: 1001, spent: 1001 }],
    ['a row without its charge', {}, { charged: 999, spent: 999 }],
    ['a charge that left the balance alone', {}, { spent: 999 }],
    ['credits that went without a row', {}, { spent: 1001 }],
    ['a failed call', {}, { failedRows: 1 }],
    ['a refusal', { refused: 1 }, {}],
    ['a broken connection', { broken: 1 }, {}],
  ])('notices %s', (_, otherSeen, otherRecorded) => {
    expect(differences({ ...seen, ...otherSeen }, { ...recorded, ...otherRecorded })).toHaveLength(1)
  })

  test('notices a violated invariant', () => {
    expect(differences(seen, recorded, [{ invariant: 'I2', detail: 'account 7' }])).toEqual([
      'I2 is violated: account 7',
    ])
  })
})

describe('on a database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
    await makeLoadTestAccount(database.db.kysely, createSecrets('ab'.repeat(32)), 500)
  })
  afterAll(() => database.drop())

  test('counts rows, charges and what the balances lost', async () => {
    const nothing: Seen = { sent: 0, answered: 0, refused: 0, broken: 0 }
    expect((await prove(database.db, nothing)).problems).toEqual([])
    await database.db.pool.query(
      `insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
       select account_id, app_now(), null, gen_random_uuid(), 1, 1, 0, 3, 0, true from credit_accounts`,
    )
    const { recorded: found, problems } = await prove(database.db, { ...nothing, sent: 1, answered: 1 })
    expect(found).toEqual({ rows: 1, failedRows: 0, charged: 3, spent: 0 })
    expect(problems).toContain('1 usage rows of 1 credit but 3 credits charged')
    expect(problems).toContain('3 credits charged but balances fell by 0')
    expect(problems.join('\n')).toMatch(/^I4 is violated/m)
  })
})

describe('the figures', () => {
  const slice = (perSecond: number): Slice => ({
    sent: 1,
    answered: 1,
    refused: 0,
    broken: 0,
    p50Ms: 1,
    p99Ms: 2,
    perSecond,
  })
  const target = (id: TargetId): Target => ({
    id,
    work: id.split('-')[0] as Work,
    label: id,
    port: 0,
    requests: [],
  })

  test('ratios are taken within a round, and the median of them counts', () => {
    const rates: Record<TargetId, number[]> = {
      'rest-bare': [100, 1000, 200],
      'rest-finmeter': [50, 250, 80],
      'rest-one-transaction': [1, 1, 1],
      'rest-better-auth': [1, 10, 8],
      'mcp-bare': [100, 100, 100],
      'mcp-finmeter': [40, 40, 40],
      'mcp-sdk': [10, 20, 5],
      'bars-bare': [10, 10, 10],
      'bars-finmeter': [5, 5, 5],
    }
    const slices = Object.fromEntries(Object.entries(rates).map(([id, all]) => [id, all.map(slice)]))
    const { lines, floors } = summarize((Object.keys(rates) as TargetId[]).map(target), slices)
    expect(lines.find(({ id }) => id === 'rest-finmeter')).toMatchObject({
      perSecond: 80,
      toBare: { median: 0.4, least: 0.25, greatest: 0.5 },
    })
    expect(floors.map(({ ratio }) => ratio.median)).toEqual([0.4, 25, 4, 0.5])
  })

  test('the median of an even number lies between the middle two', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })
})

describe('a noisy machine', () => {
  const quiet: Noise = { bareSpread: 0.1, steal: 0, fsyncMs: { median: 1, greatest: 90 }, loadBefore: 0.1 }

  test('a quiet one, or one that does not count stolen time, has nothing to say', () => {
    expect(noiseProblems(quiet)).toEqual([])
    expect(noiseProblems({ ...quiet, steal: null })).toEqual([])
  })

  test.each<[string, Partial<Noise>]>([
    ['the rates of the bare server differ by 62 % (at most 30 %)', { bareSpread: 0.62 }],
    ['the host took 4.0 % of the processor time (at most 2 %)', { steal: 0.04 }],
    ['fsync takes 12.5 ms (at most 10 ms)', { fsyncMs: { median: 12.5, greatest: 13 } }],
    ['3.0 other processes wanted each core (at most 0.5)', { loadBefore: 3 }],
  ])('%s', (problem, changed) => {
    expect(noiseProblems({ ...quiet, ...changed })).toEqual([problem])
  })
})

test('a wrong option is named with what it may be', () => {
  expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds must be a whole number from 1 to 60, not 0.')
  expect(() => readOptions(['--seconds', 'long'])).toThrow('--seconds must be a whole number from 1 to 60, not long.')
  expect(() => readOptions(['--fast'])).toThrow(/Unknown option '--fast'/)
})
