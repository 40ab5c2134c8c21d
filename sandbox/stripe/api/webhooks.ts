import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import { type Body, publicBody } from '../objects/bodies.ts'

/** Delivery faults, for tests. By default, every event is sent once, immediately and in order. */
export interface Disturbances {
  /** Sends nothing while true. */
  paused: boolean
  /** Extra copies of each event. */
  duplicates: number
  /** Sends waiting events in random order. */
  shuffle: boolean
  /** Events that are never sent. */
  drop: (event: Body) => boolean
  random: () => number
}

export type Deliver = (payload: string, signature: string) => Promise<number>

/** Seconds before each retry; after the last one the delivery has failed, and only the list of events has the event. */
const backoff = [5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600]

/** Stripe's signature header for a payload, at a time in seconds. */
export function sign(payload: string, key: string, time: number): string {
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.${payload}`).digest('hex')}`
}

interface Waiting {
  id: string
  attempts: number
  event: Body
}

/** The receiver of all events, and the secret that signs them. */
interface Receiver {
  deliver: Deliver
  secret: string
}

/** Posts waiting events to the receiver, each at least once, with Stripe's signature. */
export class Courier {
  readonly disturbances: Disturbances = {
    paused: false,
    duplicates: 0,
    shuffle: false,
    drop: () => false,
    random: Math.random,
  }
  private readonly pool: Pool
  private readonly receiver: Receiver | null

  constructor(pool: Pool, receiver: Receiver | null) {
    this.pool = pool
    this.receiver = receiver
  }

  /** Sends what is due, or everything that waits if `early`. Returns how many deliveries were attempted. */
  async round(early = false): Promise<number> {
    if (this.disturbances.paused) return 0
    const sql = `update stripe_sandbox.deliveries d set attempts = d.attempts + 1, next_at = now() + interval '30 seconds'
      from stripe_sandbox.objects o where o.id = d.event and d.id in (select id from stripe_sandbox.deliveries
        where state = 'pending' and ($1 or next_at <= now()) order by id limit 50 for update skip locked)
      returning d.id, d.attempts, o.body as event`
    const { rows } = await this.pool.query<Waiting>(sql, [early])
    rows.sort((a, b) => Number(a.id) - Number(b.id))
    if (this.disturbances.shuffle) shuffle(rows, this.disturbances.random)
    for (const waiting of rows) await this.send(waiting)
    return rows.length
  }

  private async send({ id, attempts, event }: Waiting): Promise<void> {
    if (this.disturbances.drop(event)) return this.close(id, 'dropped', null)
    let status = 0
    for (let copy = 0; copy <= this.disturbances.duplicates; copy++) status = await this.post(event)
    if (status >= 200 && status < 300) return this.close(id, 'delivered', status)
    const wait = backoff[attempts - 1]
    if (wait === undefined) return this.close(id, 'failed', status)
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

  /** The receiver's status; 0 if it cannot be reached. */
  private async post(event: Body): Promise<number> {
    if (!this.receiver) return 0
    const payload = JSON.stringify(publicBody(event))
    const signature = sign(payload, this.receiver.secret, Math.floor(Date.now() / 1000))
    return this.receiver.deliver(payload, signature).catch(() => 0)
  }
}

function shuffle<T>(items: T[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[items[last], items[other]] = [items[other] as T, items[last] as T]
  }
}

/** Delivers over HTTP, as Stripe does: a redirect or ten seconds without an answer is a failure. */
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
