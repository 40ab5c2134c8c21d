import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import { assign, type Handler, pick } from '../objects/assign.ts'
import { type Body, publicBody } from '../objects/bodies.ts'
import { type Session, secret } from '../objects/session.ts'
import { apiVersion } from './contract.ts'
import { invalid } from './errors.ts'

/** Disturbances of delivery, for tests. All off: every event goes out once, in order, at once. */
export interface Disturbances {
  /** Holds everything back. */
  paused: boolean
  /** Copies of each event beyond the first. */
  duplicates: number
  /** Sends waiting events in random order. */
  shuffle: boolean
  /** Loses an event for good. */
  drop: (event: Body) => boolean
  delayMs: number
  random: () => number
}

export type Deliver = (payload: string, signature: string) => Promise<number>

/** Seconds before each further try; after the last the event counts as failed and only the events list has it. */
const backoff = [5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600]

/** Stripe's signature header for a payload, at a time in seconds. */
export function sign(payload: string, key: string, time: number): string {
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.${payload}`).digest('hex')}`
}

interface Waiting {
  id: string
  endpoint: string
  attempts: number
  event: Body
}

/** Posts what waits to its receivers, at least once each, with Stripe's signature. */
export class Courier {
  readonly disturbances: Disturbances = {
    paused: false,
    duplicates: 0,
    shuffle: false,
    drop: () => false,
    delayMs: 0,
    random: Math.random,
  }
  private readonly pool: Pool
  private readonly own: { deliver: Deliver; secret: string } | null

  constructor(pool: Pool, own: { deliver: Deliver; secret: string } | null) {
    this.pool = pool
    this.own = own
  }

  /** One round; with `evenLater`, deliveries that wait for their next try go too. Answers how many were tried. */
  async round(evenLater = false): Promise<number> {
    if (this.disturbances.paused) return 0
    const sql = `update stripe_sandbox.deliveries d set attempts = d.attempts + 1, next_at = now() + interval '30 seconds'
      from stripe_sandbox.objects o where o.id = d.event and d.id in (select id from stripe_sandbox.deliveries
        where state = 'pending' and ($1 or next_at <= now()) order by id limit 50 for update skip locked)
      returning d.id, d.endpoint, d.attempts, o.body as event`
    const { rows } = await this.pool.query<Waiting>(sql, [evenLater])
    rows.sort((a, b) => Number(a.id) - Number(b.id))
    if (this.disturbances.shuffle) shuffle(rows, this.disturbances.random)
    for (const waiting of rows) await this.send(waiting)
    return rows.length
  }

  private async send({ id, endpoint, attempts, event }: Waiting): Promise<void> {
    if (this.disturbances.drop(event)) return this.close(id, 'dropped', null)
    if (this.disturbances.delayMs) await new Promise((resolve) => setTimeout(resolve, this.disturbances.delayMs))
    let status = 0
    for (let copy = 0; copy <= this.disturbances.duplicates; copy++) status = await this.post(endpoint, event)
    if (status >= 200 && status < 300) return this.close(id, 'delivered', status)
    const wait = backoff[attempts - 1]
    if (wait === undefined || status === 410) return this.close(id, 'failed', status)
    const sql = `update stripe_sandbox.deliveries set next_at = now() + $2 * interval '1 second', last_status = $3 where id = $1`
    await this.pool.query(sql, [id, wait, status])
  }

  private async close(id: string, state: string, status: number | null): Promise<void> {
    await this.pool.query('update stripe_sandbox.deliveries set state = $2, last_status = $3 where id = $1', [
      id,
      state,
      status,
    ])
  }

  /** The receiver's status; 0 when it cannot be reached within ten seconds, 410 when it is gone. */
  private async post(endpoint: string, event: Body): Promise<number> {
    const payload = JSON.stringify(publicBody(event))
    const time = Math.floor(Date.now() / 1000)
    try {
      if (endpoint === 'configured')
        return this.own ? await this.own.deliver(payload, sign(payload, this.own.secret, time)) : 410
      const sql =
        "select body from stripe_sandbox.objects where id = $1 and not deleted and body ->> 'status' = 'enabled'"
      const target = (await this.pool.query<{ body: { url: string; _secret: string } }>(sql, [endpoint])).rows[0]?.body
      return target ? await postTo(target.url)(payload, sign(payload, target._secret, time)) : 410
    } catch {
      return 0
    }
  }
}

function shuffle<T>(items: T[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
}

/** Delivery over HTTP, as Stripe does it. */
export function postTo(url: string): Deliver {
  return async (payload, signature) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    const answer = await fetch(url, {
      method: 'POST',
      body: payload,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    await answer.body?.cancel()
    return answer.status
  }
}

const endpointFields = ['url', 'enabled_events', 'description', 'metadata']

async function create(tx: Session, params: { url: string; api_version?: string }): Promise<unknown> {
  if (!URL.canParse(params.url))
    throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', {
      code: 'url_invalid',
      param: 'url',
    })
  if (params.api_version && params.api_version !== apiVersion)
    throw invalid(`The sandbox speaks ${apiVersion} only.`, { param: 'api_version' })
  const key = `whsec_${secret()}`
  const endpoint = await tx.create('webhook_endpoint', 'we', {
    status: 'enabled',
    api_version: apiVersion,
    ...pick(params, ...endpointFields),
    _secret: key,
  })
  return { ...endpoint, secret: key }
}

async function update(tx: Session, params: { disabled?: boolean }, id: string): Promise<Body> {
  const endpoint = await tx.get<Body>('webhook_endpoint', id)
  assign(endpoint, params, ...endpointFields)
  if (params.disabled !== undefined) endpoint.status = params.disabled ? 'disabled' : 'enabled'
  await tx.save(endpoint)
  return endpoint
}

export const webhookHandlers: Record<string, Handler> = {
  'POST /v1/webhook_endpoints': create,
  'POST /v1/webhook_endpoints/{id}': update,
  'DELETE /v1/webhook_endpoints/{id}': async (tx, _params, id) => tx.remove(await tx.get('webhook_endpoint', id)),
}
