import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeForRuns } from '../../testing/time-for-runs.ts'
import { settleAccounts } from '../credits/settle.ts'
import type { Charging } from './charging.ts'
import { foldUsage } from './fold.ts'
import { checkInvariants } from './invariants.ts'
import type { Meter } from './meter.ts'
import { type MeterFixture, meterFixture, setTimeZone } from './testing/meter-fixture.ts'
import { type Operation, PRIORITIES, playOperations } from './testing/play-operations.ts'

let fixture: MeterFixture
let meters: (Meter & Charging)[]
let ear: pg.Client
const told = new Set<number>()
beforeAll(async () => {
  fixture = await meterFixture()
  // Months are UTC's, wherever the database server stands.
  await setTimeZone(fixture, 'America/New_York')
  ear = new pg.Client(fixture.url)
  await ear.connect()
  ear.on('notification', ({ payload }) => told.add(Number(payload)))
  await ear.query('listen credits_changed')
  meters = [(await fixture.instance()).meter, (await fixture.instance({ env: { METER_BATCHES: '3' } })).meter]
})
afterAll(async () => {
  await ear.end()
  await fixture.close()
})

/** Days 28 to 31, of months and Februaries of each length. */
const starts = [
  '2027-01-28T12:00Z',
  '2027-01-31T23:20Z',
  '2027-02-28T05:00Z',
  '2027-03-01T00:20Z',
  '2027-03-29T12:00Z',
  '2027-04-30T23:20Z',
  '2027-12-31T12:00Z',
  '2028-02-28T23:20Z',
  '2028-02-29T12:00Z',
  '2028-03-31T00:20Z',
].map(Date.parse)

const play = (start: number, operations: readonly Operation[]) =>
  playOperations(fixture, meters, told, start, operations)

const small = fc.nat(12)
const anyKey = fc.constantFrom(0, 0, 1, null)
const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      key: anyKey,
      credits: small,
      success: fc.boolean(),
      keyed: fc.option(fc.constantFrom('a', 'b')),
      request: fc.constantFrom('x', 'x', 'y'),
      answer: fc.constantFrom(null, null, 'p', 'q'),
      held: fc.boolean(),
      again: fc.nat(4),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      kind: fc.constantFrom(...(Object.keys(PRIORITIES) as (keyof typeof PRIORITIES)[])),
      amount: fc.integer({ min: 1, max: 20 }),
      fromHours: fc.constantFrom(-1, 0, 1, 4),
      hours: fc.constantFrom(0, 5, 30, null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('void' as const),
      which: fc.nat(2),
      amount: fc.integer({ min: 1, max: 15 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Operation>(
      ...[0, 1, 1, 5, 20, 24, 25, 30, 40, 800].map((hours) => ({ do: 'clock', since: 'start', hours }) as const),
      ...[-1 / 6, 0, 1 / 6].map((hours) => ({ do: 'clock', since: 'month', hours }) as const),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('shorten' as const), which: fc.nat(2), hours: fc.constantFrom(0, 1, 20) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('settle' as const, 'sweep' as const, 'read' as const, 'forget' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take back' as const), hold: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('budget' as const),
      key: fc.constantFrom(0, 0, 1),
      budget: fc.option(fc.nat(25)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('unlimited' as const), unlimited: fc.constantFrom(true, false, false) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('debt' as const), credits: fc.nat(25) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('alert' as const), below: fc.option(fc.nat(20)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('payg' as const), left: fc.option(fc.nat(15)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suspend' as const), blocked: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('key' as const), key: fc.constantFrom(0, 1), live: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      key: anyKey,
      most: fc.integer({ min: 0, max: 10 }),
      charge: fc.boolean(),
      alone: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), alone: fc.boolean() }) },
)

/** Enough to spend, so that most of what follows is no refusal. */
const beginning = fc
  .tuple(fc.integer({ min: 5, max: 40 }), fc.option(fc.nat(20)), fc.option(fc.nat(25)), fc.option(fc.nat(25)))
  .map(([amount, payg, budget, other]): Operation[] => [
    { do: 'grant', kind: 'plan', amount, fromHours: -1, hours: 30 },
    { do: 'payg', left: payg },
    { do: 'budget', key: 0, budget },
    { do: 'budget', key: 1, budget: other },
  ])

test('any sequence of operations on an account, with the clock moving both ways, matches the model', async () => {
  const hasTime = timeForRuns(200_000)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...starts),
      beginning,
      fc.array(operation, { minLength: 10, maxLength: 40 }),
      async (start, first, then) => {
        if (hasTime()) await play(start, [...first, ...then])
      },
    ),
    { numRuns: process.env.NIGHTLY ? 500 : 60 },
  )
  await addsUp()
}, 300_000)

const call = (credits: number, change: Partial<Extract<Operation, { do: 'call' }>> = {}): Operation => ({
  do: 'call',
  key: 0,
  credits,
  success: true,
  keyed: null,
  request: 'x',
  answer: null,
  held: false,
  again: 1,
  ...change,
})
const atMonthEnd = (hours: number): Operation => ({ do: 'clock', since: 'month', hours })

test.each<[string, Operation, boolean]>([
  ['settled in part', call(6, { held: true }), false],
  ['settled as a failure', call(6, { held: true, success: false }), false],
  ['released', { do: 'release' }, false],
  ['returned at its expiry', { do: 'sweep' }, false],
  ['charged at its expiry', { do: 'sweep' }, true],
])('a hold of credits, pay-as-you-go and budget, %s in its month and after it', async (_, end, charge) => {
  const story = (from: number, until: number): Operation[] => [
    { do: 'grant', kind: 'topup', amount: 5, fromHours: -1, hours: null },
    { do: 'payg', left: 20 },
    { do: 'budget', key: 0, budget: 18 },
    atMonthEnd(from),
    call(2),
    { do: 'hold', key: 0, most: 8, charge },
    atMonthEnd(until),
    call(1),
    end,
    call(9),
    call(9),
  ]
  for (const start of starts)
    for (const [from, until] of [
      [-3, -1.5],
      [-1 / 6, 1.5],
    ] as const)
      await play(start, story(from, until))
  await addsUp()
})

test('a charge that is taken back gives back each of its parts, also after pay-as-you-go was turned off or its month ended', async () => {
  const story = (between: Operation[]): Operation[] => [
    { do: 'grant', kind: 'topup', amount: 5, fromHours: -1, hours: null },
    { do: 'payg', left: 20 },
    { do: 'budget', key: 0, budget: 12 },
    atMonthEnd(-1 / 6),
    call(8),
    ...between,
    { do: 'take back' },
    call(1),
  ]
  for (const start of starts)
    for (const between of [
      [],
      [{ do: 'payg', left: null }],
      [atMonthEnd(1 / 6)],
      [atMonthEnd(1 / 6), { do: 'hold', key: 0, most: 5, charge: false }],
      // The budget of the new month is in use, and the last batch is still the call's.
      [atMonthEnd(1 / 6), { do: 'hold', key: 0, most: 5, charge: false, alone: true }],
    ] as Operation[][])
      await play(start, story(between))
  await addsUp()
})

test('a second settlement and a repeat are free 20 hours later, and calls of their own after 24 and 40', async () => {
  const settlement = call(6, { held: true, again: 0 })
  const repeated = call(2, { keyed: 'a' })
  for (const hours of [20, 24, 40])
    for (const last of [settlement, repeated])
      await play(starts[0]!, [
        { do: 'grant', kind: 'topup', amount: 50, fromHours: -1, hours: null },
        { do: 'hold', key: 0, most: 8, charge: false },
        ...[settlement, settlement, repeated, repeated],
        { do: 'clock', since: 'start', hours },
        last === settlement ? repeated : settlement,
        last,
        // Only a repeat of the last charge itself would keep it.
        { do: 'take back' },
        call(1),
      ])
  await addsUp()
})

test('credits on hold outlive their grant, however the hold ends', async () => {
  for (const end of [{ do: 'sweep' }, { do: 'release' }, call(4, { held: true })] as Operation[])
    await play(starts[0]!, [
      { do: 'grant', kind: 'promo', amount: 10, fromHours: -1, hours: 4 },
      { do: 'hold', key: 0, most: 6, charge: false },
      { do: 'clock', since: 'start', hours: 5 },
      end,
      call(5),
    ])
  await addsUp()
})

test('a new budget is not refilled by what was held before it', async () => {
  for (const start of starts)
    for (const end of [{ do: 'release' }, call(4, { held: true })] as Operation[])
      await play(start, [
        { do: 'grant', kind: 'topup', amount: 50, fromHours: -1, hours: null },
        { do: 'budget', key: 0, budget: 20 },
        { do: 'hold', key: 0, most: 8, charge: false },
        { do: 'budget', key: 0, budget: 10 },
        call(7),
        end,
        call(7),
      ])
  await addsUp()
})

test('a budget lasts until the end of its UTC month, whether that has 28, 29, 30 or 31 days', async () => {
  for (let month = 0; month < 24; month++) {
    const days = new Date(Date.UTC(2027, month + 1, 0)).getUTCDate()
    const noons = Array.from({ length: days - 27 }, (_, i) => 24 * (27 + i) + 12)
    await play(Date.UTC(2027, month, 1, 0, 10), [
      { do: 'grant', kind: 'topup', amount: 50, fromHours: -1, hours: null },
      { do: 'budget', key: 0, budget: 3 },
      call(3),
      ...noons.flatMap((hours): Operation[] => [{ do: 'clock', since: 'start', hours }, call(1)]),
      atMonthEnd(-1 / 6),
      call(1),
      atMonthEnd(0),
      call(2),
      call(2),
    ])
  }
})

const granted = (amount: number): Operation => ({ do: 'grant', kind: 'topup', amount, fromHours: -1, hours: null })
const hold = (most: number, change: Partial<Extract<Operation, { do: 'hold' }>> = {}): Operation => ({
  do: 'hold',
  key: 0,
  most,
  charge: false,
  ...change,
})
const anHourLater: Operation[] = [{ do: 'clock', since: 'start', hours: 1 }, { do: 'sweep' }]

// Each takes too many steps that fit to be met often among random ones.
test.each<[string, Operation[]]>([
  ['a hold that has ended is not released', [granted(5), hold(2), ...anHourLater, { do: 'release', alone: true }]],
  [
    'pay-as-you-go that was turned off pays for what was held of it, and for nothing else',
    [granted(5), { do: 'payg', left: 9 }, hold(8), { do: 'payg', left: null }, call(6, { held: true }), call(1)],
  ],
  [
    'a settlement that leaves exactly the next alert raises it',
    [granted(20), { do: 'alert', below: 15 }, hold(8), call(5, { held: true }), { do: 'alert', below: 3 }, call(12)],
  ],
  [
    'a hold gives back to the budget of its key alone',
    ([{ do: 'release' }, { do: 'release', alone: true }, call(1, { held: true })] as Operation[]).flatMap((end) => [
      ...[granted(30), { do: 'budget', key: 0, budget: 20 } as const, { do: 'budget', key: 1, budget: 20 } as const],
      ...[call(3), call(4, { key: 1 }), hold(5), end],
    ]),
  ],
  [
    'a hold of no credits raises no alert at its expiry',
    [{ do: 'payg', left: 9 }, hold(3, { charge: true }), { do: 'alert', below: 5 }, ...anHourLater],
  ],
  [
    'a budget starts anew exactly at the end of its month',
    [granted(30), { do: 'budget', key: 0, budget: 10 }, call(3), atMonthEnd(0), call(2)],
  ],
  ['an account that a settlement leaves credits is no longer empty', [granted(5), hold(5), call(2, { held: true })]],
  ['an account that a release leaves credits is no longer empty', [granted(5), hold(5), { do: 'release' }]],
  [
    'a settlement that was refused takes nothing back of what its hold cost at its expiry',
    [
      ...[granted(9), hold(4, { charge: true }), ...anHourLater, { do: 'key', key: 0, live: false } as const],
      ...[call(2, { held: true }), { do: 'take back' } as const],
    ],
  ],
  [
    'a charge that is taken back leaves what others have spent',
    [
      granted(20),
      call(7),
      call(3),
      { do: 'take back' },
      { do: 'settle' },
      call(2),
      { do: 'settle' },
      { do: 'take back' },
    ],
  ],
])('%s', async (_, operations) => {
  for (const start of starts.slice(0, 3)) await play(start, operations)
  await addsUp()
})

async function addsUp() {
  expect(await checkInvariants(fixture.db)).toEqual([])
  await settleAccounts(fixture.db)
  await foldUsage(fixture.db)
  expect(await checkInvariants(fixture.db)).toEqual([])
}
