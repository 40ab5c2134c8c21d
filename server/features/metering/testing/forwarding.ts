import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Forwarding } from '../forwarding/forwarding.ts'
import type { SharedSecret } from '../forwarding/handshake.ts'
import { call, type Instance, type InstanceOptions, type MeterFixture, type TestAccount } from './meter-fixture.ts'

export const testSecret: SharedSecret = { key: Buffer.alloc(32, 7), about: 'test' }

/** One process that commits for all buckets, at `path`, and what others need to reach it. */
export interface TestOwner {
  dir: string
  path: string
  forwarding: Forwarding
  /** Of another process, which reaches the owner at `through`. */
  sender: (through?: string) => Forwarding
  close: () => void
}

let senders = 0

export async function testOwner(): Promise<TestOwner> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-forward-'))
  const path = join(dir, 'owner.sock')
  return {
    dir,
    path,
    forwarding: { path, pathOf: () => null, shared: testSecret },
    sender: (through = path) => ({ path: join(dir, `${++senders}.sock`), pathOf: () => through, shared: testSecret }),
    close: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** A second meter whose calls the first one commits, connected. */
export async function forwardingPair(
  fixture: MeterFixture,
  options: { owner?: InstanceOptions; sender?: InstanceOptions; through?: (path: string) => Promise<string> } = {},
): Promise<{ owner: Instance; sender: Instance; place: TestOwner }> {
  const place = await testOwner()
  const owner = await fixture.instance({ ...options.owner, forwarding: place.forwarding })
  const through = await options.through?.(place.path)
  const sender = await fixture.instance({ ...options.sender, forwarding: place.sender(through) })
  // Each account goes to the emptiest bucket, and each bucket has a connection.
  for (let bucket = 0; bucket < Number(process.env.METER_BUCKETS ?? 1); bucket++)
    await forwards(sender, await fixture.account(1_000))
  return { owner, sender, place }
}

/** Waits until the calls of this account are forwarded. */
export async function forwards({ meter }: Instance, account: TestAccount): Promise<void> {
  const before = meter.figures().forwarded
  while (meter.figures().forwarded === before) await meter.commit(call(account, { credits: 0 }))
}

/** A relay between a sender and its owner that can lose what either says. */
export interface Relay {
  path: string
  lose: (which: 'parcels' | 'answers') => void
  cut: () => void
  close: () => Promise<void>
}

export async function relayTo(target: string): Promise<Relay> {
  const path = `${target}.relay`
  const open = new Set<Socket>()
  const lost = new Set<string>()
  const server = createServer((sender) => {
    const owner = connect(target)
    const pairs = [
      { from: sender, to: owner, name: 'parcels' },
      { from: owner, to: sender, name: 'answers' },
    ]
    for (const { from, to, name } of pairs) {
      open.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => lost.has(name) || to.write(bytes))
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((done) => server.listen(path, done))
  const cut = () => {
    lost.clear()
    for (const socket of open) socket.destroy()
  }
  return {
    path,
    lose: (which) => void lost.add(which),
    cut,
    close: async () => {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
