import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkInvariants } from '../invariants.ts'
import { type TestOwner, testOwner, testSecret } from '../testing/forwarding.ts'
import { call, type MeterFixture, meterFixture, recorded } from '../testing/meter-fixture.ts'
import { newNonce, prove } from './handshake.ts'

let fixture: MeterFixture
let place: TestOwner
const endings: (() => unknown)[] = []

beforeAll(async () => {
  fixture = await meterFixture()
  place = await testOwner()
  await fixture.instance({ forwarding: place.forwarding })
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  expect(await checkInvariants(fixture.db)).toEqual([])
})
afterAll(async () => {
  await fixture.close()
  place.close()
})

/** A connection to the owner, line by line. */
async function dial(): Promise<{ say: (value: unknown) => void; heard: () => Promise<unknown>; socket: Socket }> {
  const socket = connect(place.path)
  endings.push(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  let rest = ''
  return {
    socket,
    say: (value) => socket.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
    /** The next line; null: the connection was closed. */
    heard: () =>
      new Promise((done) => {
        const look = (chunk: Buffer) => {
          rest += chunk.toString()
          const end = rest.indexOf('\n')
          if (end < 0) return
          const line = rest.slice(0, end)
          rest = rest.slice(end + 1)
          socket.off('data', look)
          done(JSON.parse(line))
        }
        socket.on('data', look)
        socket.on('close', () => done(null))
      }),
  }
}

/** Past the handshake. */
async function insider() {
  const line = await dial()
  const nonce = newNonce()
  line.say([nonce, 0])
  const [theirs] = (await line.heard()) as [string]
  line.say([prove(testSecret, 'sender', nonce, theirs)])
  return line
}

const entryOf = ({ accountId, keyId }: { accountId: number; keyId: number }) => [
  'call',
  accountId,
  keyId,
  1,
  1,
  true,
  2,
  null,
  null,
  null,
  null,
  Date.now(),
]

test('what an insider sends is charged and answered', async () => {
  const account = await fixture.account(10)
  const line = await insider()
  const id = randomUUID()
  line.say([id, [entryOf(account)]])
  expect(await line.heard()).toEqual([
    id,
    [
      {
        kind: 'charged',
        receiptId: expect.stringMatching(/^rcpt_/),
        creditsCharged: 1,
        creditsRemaining: 9,
        unlimited: false,
      },
    ],
    [],
  ])
})

test.each([
  { name: 'no JSON', first: 'hello' },
  { name: 'no nonce', first: ['x', 0] },
  { name: 'no bucket', first: [newNonce(), 'm00'] },
])('a stranger is dropped: $name', async ({ first }) => {
  const line = await dial()
  line.say(first)
  expect(await line.heard()).toBeNull()
})

test.each([
  { name: 'another secret', secret: { ...testSecret, key: Buffer.alloc(32, 8) } },
  { name: 'another database or release', secret: { ...testSecret, about: 'other' } },
])('a stranger is dropped, and nothing is charged: $name', async ({ secret }) => {
  const account = await fixture.account(10)
  const line = await dial()
  const nonce = newNonce()
  line.say([nonce, 0])
  const [theirs] = (await line.heard()) as [string]
  line.say([prove(secret, 'sender', nonce, theirs)])
  line.say([randomUUID(), [entryOf(account)]])
  expect(await line.heard()).toBeNull()
  expect((await recorded(fixture, account.accountId)).success).toBe(0)
})

test("the owner's own proof cannot be sent back to it", async () => {
  const line = await dial()
  line.say([newNonce(), 0])
  const [, proof] = (await line.heard()) as [string, string]
  line.say([proof])
  expect(await line.heard()).toBeNull()
})

test('an insider that sends something else is dropped, whole parcel and all', async () => {
  const account = await fixture.account(10)
  const good = entryOf(account)
  const changed = (at: number, value: unknown) => good.map((item, i) => (i === at ? value : item))
  const bad: unknown[] = [
    'x',
    [],
    ['not-an-id', [good]],
    [randomUUID(), []],
    [randomUUID(), Array.from({ length: 1_001 }, () => good)],
    ...[
      changed(0, 'refund'),
      changed(1, 0),
      changed(1, '1'),
      changed(2, 1.5),
      changed(3, 40_000),
      changed(4, -1),
      changed(4, 2_147_483_648),
      changed(5, 'yes'),
      changed(6, null),
      changed(7, '},{'),
      changed(7, randomUUID()),
      changed(9, randomUUID()),
      changed(10, [60, null]),
      changed(11, 'now'),
      good.slice(1),
    ].map((entry) => [randomUUID(), [good, entry]]),
  ]
  for (const body of bad) {
    const line = await insider()
    line.say(body)
    expect([body, await line.heard()]).toEqual([body, null])
  }
  const line = await insider()
  line.socket.write('x'.repeat(2_000_000))
  expect(await line.heard()).toBeNull()
  expect((await recorded(fixture, account.accountId)).success).toBe(0)
}, 30_000)

/** A server at a path of its own that answers as told, and a meter that would forward to it. */
async function falseOwner(answer: (line: string, socket: Socket) => void) {
  const path = `${place.dir}/${randomUUID().slice(0, 8)}.sock`
  let heard = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      heard++
      for (const line of chunk.toString().trim().split('\n')) answer(line, socket)
    })
  })
  await new Promise<void>((done) => server.listen(path, done))
  const instance = await fixture.instance({ forwarding: place.sender(path) })
  endings.push(() => new Promise((done) => server.close(done)), instance.close)
  return { meter: instance.meter, heard: () => heard }
}

test('a false owner, which cannot prove that it has the secret, gets no call', async () => {
  const { meter, heard } = await falseOwner((_, socket) =>
    socket.write(`${JSON.stringify([newNonce(), 'ab'.repeat(32)])}\n`),
  )
  const account = await fixture.account(10)
  expect(await meter.commit(call(account))).toMatchObject({ kind: 'charged', creditsRemaining: 9 })
  await expect.poll(heard).toBe(1)
  expect(await meter.commit(call(account))).toMatchObject({ kind: 'charged', creditsRemaining: 8 })
  expect(meter.figures()).toMatchObject({ forwarded: 0, fallbacks: 2 })
})

const free = { kind: 'charged', receiptId: 'free', creditsCharged: 1, creditsRemaining: 1, unlimited: false }

test.each([
  { name: 'no JSON', answer: () => 'yes' },
  { name: 'another parcel', answer: () => JSON.stringify([randomUUID(), [], []]) },
  { name: 'too few outcomes', answer: (id: string) => JSON.stringify([id, [], []]) },
  { name: 'no receipt', answer: (id: string) => JSON.stringify([id, [free], []]) },
  { name: 'an unknown outcome', answer: (id: string) => JSON.stringify([id, [{ ...free, kind: 'free' }], []]) },
  { name: 'no hints', answer: (id: string) => JSON.stringify([id, [null], ['all']]) },
])('an owner that answers something else is left, and the call committed here: $name', async ({ answer }) => {
  const { meter } = await falseOwner((line, socket) => {
    const body = JSON.parse(line) as unknown[]
    if (body.length === 1) return
    const [first, second] = body as [string, unknown]
    if (Array.isArray(second)) socket.write(`${answer(first)}\n`)
    else {
      const nonce = newNonce()
      socket.write(`${JSON.stringify([nonce, prove(testSecret, 'owner', first, nonce)])}\n`)
    }
  })
  const account = await fixture.account(1_000)
  let calls = 0
  await expect
    .poll(async () => {
      calls++
      expect(await meter.commit(call(account))).toMatchObject({ kind: 'charged', creditsCharged: 1 })
      return meter.figures().forwarded
    })
    .toBe(1)
  expect(await recorded(fixture, account.accountId)).toEqual({ success: calls, failed: 0, charged: calls })
})
