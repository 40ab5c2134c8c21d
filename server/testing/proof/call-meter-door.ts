import { setTimeout as sleep } from 'node:timers/promises'
import type { ProofAccount } from './accounts.ts'
import { count, PAUSE_MS, pick, type UpstreamCaller } from './caller.ts'
import { exchange, gatewayHeaders } from './requests.ts'
import { unexpected } from './seen.ts'
import { MOST_ITEMS, searchCredits } from './upstream/publish-upstream.ts'

const TOOL = 'proof_search'
const MOST = searchCredits(MOST_ITEMS)
const HOLD_SECONDS = 60

type Door = Pick<UpstreamCaller, 'agent' | 'ports' | 'seen' | 'serviceKey'>
interface DoorReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: one of several answers
  body: any
}

/** A call whose work a service does: authorized, by the service or at its gateway, then settled, released or forgotten. */
export async function callMeterDoor(caller: UpstreamCaller, account: ProofAccount): Promise<void> {
  const { seen } = caller
  const end = pick(['settle', 'settle', 'settle', 'release', 'nothing', 'charge'] as const)
  const isCharged = end === 'charge'
  const hold =
    end !== 'charge' && Math.random() < 0.3
      ? await askAtGateway(caller, account)
      : await authorize(caller, account, isCharged ? 'charge' : 'release')
  if (hold === null) return
  if (end === 'settle') await settle(caller, account, hold)
  else if (end === 'release') await release(caller, hold)
  else {
    seen.neverSettled++
    if (isCharged) seen.chargedAtEnd.push({ accountId: account.id, hold, credits: MOST })
  }
}

/** Null if it was refused or got no answer. */
async function authorize(
  caller: UpstreamCaller,
  account: ProofAccount,
  unsettled: 'release' | 'charge',
): Promise<string | null> {
  const { seen } = caller
  const asked = { key: account.key, operation: TOOL, units: MOST_ITEMS, hold_seconds: HOLD_SECONDS, unsettled }
  const reply = await post(caller, 'authorize', asked)
  if (reply?.status === 200) return reply.body.hold
  if (!reply && unsettled === 'charge') seen.lost.push({ accountId: account.id, tool: TOOL, least: MOST, most: MOST })
  count(seen, account, { tool: TOOL, credits: MOST }, reply && refused(reply))
  return null
}

async function askAtGateway(
  { seen, agent, ports, serviceKey }: UpstreamCaller,
  account: ProofAccount,
): Promise<string | null> {
  seen.sent++
  seen.sentToMeterDoor++
  const headers = { 'x-api-key': account.key, ...gatewayHeaders(serviceKey, `/search?count=${MOST_ITEMS}`) }
  const path = '/v1/meter/auth?gateway=caddy'
  const reply = await exchange(agent, { port: pick(ports()), method: 'GET', path, headers }).catch(() => null)
  if (reply?.status === 200) return String(reply.headers['finmeter-hold'])
  const { status, text } = reply ?? { status: 0, text: '' }
  count(seen, account, { tool: TOOL, credits: MOST }, reply && refused({ status, body: text }))
  return null
}

async function settle(caller: UpstreamCaller, account: ProofAccount, hold: string): Promise<void> {
  const { seen, failed } = caller
  const units = 1 + Math.floor(Math.random() * MOST_ITEMS)
  const credits = searchCredits(units)
  while (!failed()) {
    const reply = await post(caller, 'settle', { hold, units })
    if (reply?.status === 200) {
      seen.settled++
      const { receipt, credits_charged: charged, replayed } = reply.body
      if (charged !== (replayed ? 0 : credits))
        unexpected(seen, `a settlement of ${credits} credits charged ${charged}`)
      count(seen, account, { tool: TOOL, credits }, { status: 200, receipt, credits: charged })
      return
    }
    count(seen, account, { tool: TOOL, credits }, reply && refused(reply))
    // 402: it ended before, as all holds do when the clock moves, and the account cannot pay any more.
    if (reply && reply.status !== 503) return
    await sleep(PAUSE_MS)
  }
}

async function release(caller: UpstreamCaller, hold: string): Promise<void> {
  const { seen, failed } = caller
  while (!failed()) {
    const reply = await post(caller, 'release', { hold })
    if (reply?.status === 200) {
      seen.released++
      return
    }
    if (reply && reply.status !== 503) unexpected(seen, `release: status ${reply.status}`)
    await sleep(PAUSE_MS)
  }
}

/** Settles the holds that were charged when they expired: each must have been, once and in full. */
export async function settleTooLate(door: Door): Promise<void> {
  const { seen } = door
  for (const { accountId, hold, credits } of seen.chargedAtEnd) {
    const reply = await post(door, 'settle', { hold, units: 1 })
    if (reply?.status === 200 && reply.body.replayed === true)
      seen.receipts.set(reply.body.receipt, { accountId, least: credits, most: credits })
    else unexpected(seen, `a hold that is charged at its end was not: ${JSON.stringify(reply)}`)
  }
}

async function post({ seen, agent, ports, serviceKey }: Door, verb: string, asked: object): Promise<DoorReply | null> {
  seen.sent++
  seen.sentToMeterDoor++
  const body = JSON.stringify(asked)
  const headers = {
    'finmeter-service-key': serviceKey,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  try {
    const { status, text } = await exchange(agent, {
      ...{ port: pick(ports()), method: 'POST', path: `/v1/meter/${verb}` },
      ...{ headers, body },
    })
    return { status, body: JSON.parse(text) }
  } catch {
    await sleep(PAUSE_MS)
    return null
  }
}

const refused = ({ status, body }: DoorReply) => ({
  status,
  receipt: '',
  credits: 0,
  code: JSON.stringify(body).slice(0, 200),
})
