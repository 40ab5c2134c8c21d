import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { apiVersion, contract, schemas } from '../api/contract.ts'
import { noSuch } from '../api/errors.ts'
import { complete } from '../api/shape.ts'
import type { Body, Customer, Fields } from './bodies.ts'
import { publicBody } from './bodies.ts'

/** What a session needs to know of the sandbox around it. */
export interface Surroundings {
  publicUrl: string
  /** Receivers of every event besides the registered webhook endpoints; 'configured' or none. */
  ownReceiver: boolean
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

/** One request or one due task: a transaction, the time at which it happens, and the objects that it touches. */
export class Session {
  readonly client: PoolClient
  readonly around: Surroundings
  readonly request: { id: string | null; idempotency_key: string | null }
  /** Seconds. An object that belongs to a test clock moves the session to that clock's time. */
  now: number
  pinned = false
  emitted = 0

  constructor(client: PoolClient, around: Surroundings, now: number, request: Session['request']) {
    this.client = client
    this.around = around
    this.now = now
    this.request = request
  }

  /** The object with this id, or null when it is missing or deleted. */
  async maybe<T extends Body>(id: string, type?: string): Promise<T | null> {
    const sql = 'select body, clock, type from stripe_sandbox.objects where id = $1 and not deleted'
    const row = (await this.client.query<{ body: T; clock: string | null; type: string }>(sql, [id])).rows[0]
    if (!row || (type && row.type !== type)) return null
    await this.enterClock(row.clock)
    return row.body
  }

  /** The object with this id; 404 in Stripe's words otherwise. `param` names the parameter that held the id. */
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

  /** Stores a changed object; with `event`, tells receivers what changed, if anything did. */
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

  /** Leaves a trace that answers `deleted: true` for a customer and 404 for the rest. */
  async remove(body: Body): Promise<Fields> {
    await this.client.query('update stripe_sandbox.objects set deleted = true, due_at = null where id = $1', [body.id])
    return { id: body.id, object: body.object, deleted: true }
  }

  /** Writes an event and its deliveries in this transaction. Types that the contract does not name are not sent. */
  async emit(type: string, object: Body, previous?: Fields): Promise<void> {
    if (!contract['x-events'][type]) return
    const endpoints = await this.find<Body & { enabled_events: string[] }>('webhook_endpoint', { status: 'enabled' })
    const receivers = endpoints
      .filter(({ enabled_events: on }) => on.includes('*') || on.includes(type))
      .map(({ id }) => id)
    if (this.around.ownReceiver) receivers.push('configured')
    const event = await this.create('event', 'evt', {
      type,
      api_version: apiVersion,
      data: { object: publicBody(object), ...(previous && { previous_attributes: previous }) },
      pending_webhooks: receivers.length,
      request: this.request,
    })
    const sql = 'insert into stripe_sandbox.deliveries (event, endpoint) select $1, unnest($2::text[])'
    await this.client.query(sql, [event.id, receivers])
    this.emitted += receivers.length
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
