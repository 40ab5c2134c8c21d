import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Parcel } from '../account-queues.ts'
import type { Committer } from '../committer.ts'
import { isNonce, isProof, newNonce, prove, type SharedSecret } from './handshake.ts'
import { parseLine, readLines } from './lines.ts'
import { type Outcome, type ReceivedEntry, readParcel, writeAnswer } from './wire.ts'

export interface ParcelServer {
  /** From now on parcels are sent back, and their senders commit them. What was taken is still answered. */
  stopTaking: () => void
  close: () => Promise<void>
}

interface AcceptOptions {
  path: string
  shared: SharedSecret
  /** Null for a bucket that is not committed here. */
  committerOf: (bucket: number) => Pick<Committer, 'add' | 'dropGone'> | null
  log: Logger
}

const HANDSHAKE_MS = 2_000
/** A sender has fewer without an answer. */
const MOST_OPEN = 16

/** Listens at `path` for the other processes of this machine, and commits what they send. Where it cannot listen, they commit for themselves. */
export function acceptParcels({ path, shared, committerOf, log }: AcceptOptions): ParcelServer {
  const sockets = new Set<Socket>()
  let taking = true

  const serve = (socket: Socket): void => {
    const open = new Set<Parcel>()
    const nonce = newNonce()
    let sender: { nonce: string; bucket: number } | null = null
    let committer: ReturnType<typeof committerOf> = null
    sockets.add(socket)
    const late = setTimeout(() => committer ?? socket.destroy(), HANDSHAKE_MS)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      sockets.delete(socket)
      for (const parcel of open) parcel.gone = true
      committer?.dropGone()
    })

    const take = (id: string, entries: readonly ReceivedEntry[]): void => {
      const parcel: Parcel = { id, gone: false, hints: [] }
      const outcomes = new Array<Outcome | null>(entries.length).fill(null)
      let left = entries.length
      open.add(parcel)
      const settle = (index: number, outcome: Outcome | null): void => {
        outcomes[index] = outcome
        // Hints of the batch come right after its outcomes.
        if (--left === 0)
          queueMicrotask(() => {
            open.delete(parcel)
            if (!parcel.gone) socket.write(writeAnswer({ id, outcomes, hints: parcel.hints }))
          })
      }
      for (const [index, entry] of entries.entries())
        committer!.add({
          ...entry,
          from: { parcel, index },
          resolve: (outcome) => settle(index, outcome),
          reject: () => settle(index, null),
        })
    }

    readLines(socket, (line) => {
      const body = parseLine(line)
      if (committer) {
        const parcel = sender && open.size < MOST_OPEN && readParcel(body, sender.bucket)
        if (!parcel) {
          log.warn('dropped a process that sent something else than calls to commit')
          return false
        }
        if (taking) take(parcel.id, parcel.entries)
        else socket.write(writeAnswer({ id: parcel.id, outcomes: null, hints: [] }))
        return true
      }
      if (!Array.isArray(body)) return false
      const [first, bucket] = body as unknown[]
      if (!sender) {
        if (!isNonce(first) || !Number.isSafeInteger(bucket)) return false
        sender = { nonce: first, bucket: bucket as number }
        socket.write(`${JSON.stringify([nonce, prove(shared, 'owner', first, nonce)])}\n`)
        return true
      }
      if (isProof(first, shared, 'sender', sender.nonce, nonce)) committer = committerOf(sender.bucket)
      else log.warn('refused a process that wanted calls to be committed: it has another secret, database or release')
      return committer !== null
    })
  }

  // Left by a process that was killed.
  rmSync(path, { force: true })
  const server = createServer(serve)
  server.on('error', (error) => log.warn({ path, error: error.message }, 'other processes commit for themselves'))
  server.listen(path, () => chmodSync(path, 0o600))
  return {
    stopTaking() {
      taking = false
    },
    async close() {
      for (const socket of sockets) socket.end()
      await new Promise((done) => server.close(done))
    },
  }
}
