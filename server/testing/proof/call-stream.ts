import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ProofAccount } from './accounts.ts'
import { count, pick, type UpstreamCaller } from './caller.ts'
import { unexpected } from './seen.ts'
import { MOST_TICKS, NEWS, tickCredits } from './upstream/publish-upstream.ts'

const LEFT = 0.35
const POLL_MS = 50
/** The server repeats a settlement for a minute. */
const SETTLED_MS = 90_000

interface Read {
  /** Whole lines or events, without ours. */
  pieces: number
  /** Of the last line or event, which is ours. */
  charged: number | null
  end: 'read' | 'left' | 'cut'
}

/** Reads a stream, to its last byte or until the customer has enough. */
export async function callStream(caller: UpstreamCaller, account: ProofAccount): Promise<void> {
  const { seen, ports, streaming } = caller
  const kind = pick(['ticks', 'news'] as const)
  const most = 1 + Math.floor(Math.random() * MOST_TICKS)
  const enough = Math.random() < LEFT ? Math.floor(Math.random() * most) : Number.POSITIVE_INFINITY
  const port = pick(ports())
  const priceOf = (pieces: number): number => (kind === 'ticks' ? tickCredits(pieces) : NEWS)
  const charge = { accountId: account.id, tool: `proof_${kind}`, least: 0, most: priceOf(most) }
  seen.sent++
  seen.sentToUpstream++
  const answer = await open(caller, port, `/v1/proof/${kind}?count=${most}`, account.key).catch(() => null)
  if (answer === null) {
    seen.lost.push(charge)
    count(seen, account, { ...charge, credits: 0 }, null)
    return
  }
  if (answer.statusCode !== 200) {
    answer.resume()
    const code = `stream of ${most}`
    count(seen, account, { ...charge, credits: 0 }, { status: answer.statusCode!, receipt: '', credits: 0, code })
    return
  }
  const receipt = String(answer.headers['x-receipt-id'])
  streaming.set(port, (streaming.get(port) ?? 0) + 1)
  const { pieces, charged, end } = await read(answer, enough)
  streaming.set(port, streaming.get(port)! - 1)
  if (end === 'read') seen.streamsRead++
  else if (end === 'left') seen.streamsLeft++
  else seen.streamsCut++
  // Others may not be able to pay any more when the clock moved, which ends their holds.
  const canPay = account.kind === 'rich'
  const isExact = end === 'read' && charged !== null
  if (isExact && canPay && charged !== priceOf(pieces))
    unexpected(seen, `a stream of ${pieces} ${kind} was charged ${charged}`)
  if (isExact) Object.assign(charge, { least: charged, most: charged })
  else if (kind === 'ticks') charge.least = tickCredits(pieces)
  const isRecorded = isExact || (canPay && (await untilRecorded(caller, port, receipt)))
  seen.streams.push({ ...charge, receipt, mustBeRecorded: canPay && isRecorded })
}

function open({ agent }: UpstreamCaller, port: number, path: string, key: string): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    const headers = { 'x-api-key': key, 'finmeter-trailer': 'on' }
    const sent = request({ agent, host: '127.0.0.1', port, path, headers, timeout: 60_000 }, done)
    sent.once('error', failed)
    sent.once('timeout', () => sent.destroy(new Error('timed out')))
    sent.end()
  })
}

const piecesOf = (lines: string[]): number =>
  lines.filter((line) => /^(data:|\{)/.test(line) && !line.includes('"credits_charged"')).length

function read(answer: IncomingMessage, enough: number): Promise<Read> {
  return new Promise((done) => {
    let text = ''
    const ended = (end: Read['end']) => {
      const charged = /"credits_charged":(\d+)/.exec(text)?.[1]
      // Where a stream is longer than it said, a part of its last line is delivered, and counts.
      const lines = end === 'read' ? text.split('\n') : text.split('\n').slice(0, -1)
      done({ pieces: piecesOf(lines), charged: charged === undefined ? null : Number(charged), end })
    }
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => {
      text += part
      if (piecesOf(text.split('\n')) <= enough) return
      ended('left')
      answer.destroy()
    })
    answer.once('end', () => ended('read'))
    answer.once('error', () => ended('cut'))
    answer.once('close', () => ended('cut'))
  })
}

/** Whether the stream was recorded. False: its server was killed. */
async function untilRecorded(
  { db, ports, seen, failed }: UpstreamCaller,
  port: number,
  receipt: string,
): Promise<boolean> {
  const id = receipt.slice('rcps_'.length)
  const from = performance.now()
  while (ports().includes(port) && !failed()) {
    const found = await sql`select from stream_receipts where id = ${id}::uuid`.execute(db.kysely).catch(() => null)
    if (found && found.rows.length > 0) return true
    if (performance.now() - from > SETTLED_MS) {
      unexpected(seen, `${receipt}: a stream that broke off or was left was never settled`)
      return false
    }
    await sleep(POLL_MS)
  }
  return false
}
