import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { apiVersion, contract, schemas } from '../api/contract.ts'
import { noSuch } from '../api/errors.ts'
import { complete } from '../api/shape.ts'
import { type Body, type Customer, type Fields, publicBody } from './bodies.ts'

/** Settings of the sandbox that a session needs. */
export interface Surroundings {
  publicUrl: string
  /** Who sells, as invoices name them. */
  sellerName: () => string
  /** Whether events are delivered anywhere. */
  hasReceiver: boolean
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 131 random bits. */
export function secret(): string {
  return Array.from(randomBytes(22), (byte) => alphabet[byte % 62]).join('')
}

/** An id that cannot be mistaken for one of Stripe's. */
export function newId(prefix: string): string {
  return `${prefix}_sbx${secret()}`
}

const kinds: Record<string, string> = { payment_method: 'PaymentMethod', 'checkout.session': 'checkout session' }

/** One request or due task: its transaction, the time at which it happens, and access to stored objects. */
export class Session {
  readonly client: PoolClient
  readonly around: Surroundings
  readonly request: { id: string | null; idempotency_key: string | null }
  /** In seconds. Reading an object on a test clock sets this to the clock's time. */
  now: number
  /** Something that is due happens by itself, at its own time. */
  pinned = false
  emitted = 0

  constructor(client: PoolClient, around: Surroundings, now: number, request: Session['request']) {
    this.client = client
    this.around = around
    this.now = now
    this.request = request
  }

  /** The object with this id, or null if it is missing or deleted. */
  async maybe<T extends Body>(id: string, type?: string): Promise<T | null> {
    const sql = 'select body, clock, type from stripe_sandbox.objects where id = $1 and not deleted'
    const row = (await this.client.query<{ body: T; clock: string | null; type: string }>(sql, [id])).rows[0]
    if (!row || (type && row.type !== type)) return null
    await this.enterClock(row.clock)
    return row.body
  }

  /** The object with this id, else Stripe's 404. `param` names the parameter with the id. */
  async get<T extends Body>(type: string, id: string, param = 'id'): Promise<T> {
    const body = await this.maybe<T>(id, type)
    if (!body) throw noSuch(kinds[type] ?? type.split('.').at(-1) ?? type, id, param)
    return body
  }

  customer(id: string): Promise<Customer> {
    return this.get<Customer>('customer', id, 'customer')
  }

  /** Objects of a type whose body contains `fields`, oldest first. */
  async find<T extends Body>(type: string, fields: Fields): Promise<T[]> {
    const sql = 'select body from stripe_sandbox.objects where type = $1 and not deleted and body @> $2 order by seq'
    return (await this.client.query<{ body: T }>(sql, [type, JSON.stringify(fields)])).rows.map((row) => row.body)
  }

  /** Completes and stores a new object. */
  async create<T extends Body>(object: string, prefix: string, fields: Fields): Promise<T> {
    const body: Body = complete({
      created: this.now,
      ...fields,
      id: (fields.id as string | undefined) ?? newId(prefix),
      object,
    })
    const created = typeof body.created === 'number' ? body.created : this.now
    if (!schemas[object]?.properties?.created) delete body.created
    const sql =
      'insert into stripe_sandbox.objects (id, type, clock, created, due_at, body) values ($1, $2, $3, $4, $5, $6)'
    await this.client.query(sql, [body.id, object, clockOf(body), created, body._due ?? null, JSON.stringify(body)])
    return body as unknown as T
  }

  /** Stores a changed object. With `event`, emits it; an `.updated` event only if something changed. */
  async save(body: Body, event?: string): Promise<void> {
    const before = event ? await this.maybe<Body>(body.id) : null
    complete(body)
    const sql = 'update stripe_sandbox.objects set body = $2, due_at = $3 where id = $1'
    await this.client.query(sql, [body.id, JSON.stringify(body), body._due ?? null])
    if (!event || !before) return
    const previous = difference(publicBody(before), publicBody(body))
    if (Object.keys(previous).length || !event.endsWith('.updated')) {
      await this.emit(event, body, event.endsWith('.updated') ? previous : undefined)
    }
  }

  /** Marks an object as deleted. A deleted customer is answered with `deleted: true`, anything else with 404. */
  async remove(body: Body): Promise<Fields> {
    await this.client.query('update stripe_sandbox.objects set deleted = true, due_at = null where id = $1', [body.id])
    return { id: body.id, object: body.object, deleted: true }
  }

  /** Writes an event and its delivery in this transaction. Types that the contract does not name are not sent. */
  async emit(type: string, object: Body, previous?: Fields): Promise<void> {
    if (!contract['x-events'][type]) return
    const { hasReceiver } = this.around
    const event = await this.create('event', 'evt', {
      type,
      api_version: apiVersion,
      data: { object: publicBody(object), ...(previous && { previous_attributes: previous }) },
      pending_webhooks: hasReceiver ? 1 : 0,
      request: this.request,
    })
    if (!hasReceiver) return
    await this.client.query('insert into stripe_sandbox.deliveries (event) values ($1)', [event.id])
    this.emitted++
  }

  private async enterClock(clock: string | null): Promise<void> {
    if (!clock || this.pinned) return
    const sql = "select (body ->> 'frozen_time')::bigint as now from stripe_sandbox.objects where id = $1"
    this.now = Number((await this.client.query<{ now: string }>(sql, [clock])).rows[0]?.now ?? this.now)
  }
}

function clockOf(body: Fields): string | null {
  return ((body.test_clock ?? body._clock) as string | null | undefined) ?? null
}

function difference(before: Fields, after: Fields): Fields {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(names.map((name) => [name, before[name] ?? null]))
}
