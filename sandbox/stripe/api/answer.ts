import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Fields } from '../objects/bodies.ts'
import { newId, type Session } from '../objects/session.ts'
import { apiVersion, findOperation } from './contract.ts'
import { invalid, StripeError } from './errors.ts'
import { expand } from './expand.ts'
import { serve } from './handlers.ts'
import { decodeForm, readParams } from './params.ts'

export interface ApiRequest {
  method: string
  url: URL
  headers: Headers
  body: string
}

export interface ApiAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** Runs work in one transaction. Writers take turns, so their requests run one after another. */
export type Transact = <T>(
  request: Session['request'],
  writes: boolean,
  work: (tx: Session) => Promise<T>,
) => Promise<T>

/** Parameters that the sandbox refuses rather than ignores, with the values that it does serve. */
const partlyServed: Record<string, unknown[]> = {
  pause_collection: [],
  proration_date: [],
  paid_out_of_band: [],
  transform_quantity: [],
  tiers: [],
  price_data: [],
  deleted: [],
  trial_end: ['now'],
  missing_payment_method: ['cancel', 'create_invoice'],
  payment_behavior: ['allow_incomplete', 'error_if_incomplete'],
}

/** The name of a refused parameter, if any, at any depth, such as `trial_end` in `subscription_data`. */
function findUnserved(params: object): string | undefined {
  for (const [name, value] of Object.entries(params)) {
    if (partlyServed[name]?.includes(value) === false) return name
    const inner = name !== 'metadata' && value && typeof value === 'object' ? findUnserved(value) : undefined
    if (inner) return inner
  }
  return undefined
}

const failure = (error: StripeError) => ({ status: error.status, body: { error: error.fields } })

/** Answers one API request as Stripe would: key, version, parameters, idempotency, effect, expansion. A bad request never throws. */
export async function answer(request: ApiRequest, transact: Transact): Promise<ApiAnswer> {
  const requestId = newId('req')
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
  }
  try {
    checkCaller(request.headers)
    const found = findOperation(request.method, request.url.pathname)
    if (!found)
      throw invalid(
        `Unrecognized request URL (${request.method}: ${request.url.pathname}). The sandbox serves a part of Stripe's API.`,
        { status: 404 },
      )
    const { operation, ids } = found
    const { expand: paths = [], ...params } = readParams(
      operation.params,
      decodeForm(request.method === 'POST' ? request.body : request.url.search),
    )
    const unserved = findUnserved(params)
    if (unserved) throw invalid(`The sandbox does not serve ${unserved}.`, { param: unserved })
    const key = request.method === 'POST' ? request.headers.get('idempotency-key') : null
    if (key !== null && (key === '' || key.length > 255))
      throw invalid('Idempotency keys are 1 to 255 characters long.')
    const writes = request.method !== 'GET'
    return await transact({ id: requestId, idempotency_key: key }, writes, async (tx) => {
      const print = createHash('sha256')
        .update(`${request.method} ${request.url.pathname}\n${request.body}`)
        .digest('hex')
      const stored = key ? await replay(tx.client, key, print) : null
      if (stored)
        return {
          status: stored.status,
          headers: { ...headers, 'idempotent-replayed': 'true', 'original-request': stored.request_id },
          body: stored.answer,
        }
      const made = await attempt(tx, () =>
        serve(tx, operation, params, ids).then((body) => expand(tx, body, paths as string[])),
      )
      if (key) await remember(tx.client, key, print, made, requestId)
      return { ...made, headers }
    })
  } catch (error) {
    if (error instanceof StripeError) return { ...failure(error), headers }
    throw error
  }
}

/** Rolls back the effects of a refused request, except those that must stay, such as the record of a declined charge. */
async function attempt(tx: Session, work: () => Promise<unknown>): Promise<{ status: number; body: unknown }> {
  await tx.client.query('savepoint effects')
  try {
    return { status: 200, body: await work() }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    if (!error.keep) {
      await tx.client.query('rollback to savepoint effects')
      tx.emitted = 0
    }
    return failure(error)
  }
}

function checkCaller(headers: Headers): void {
  const authorization = headers.get('authorization') ?? ''
  const [scheme = '', token = ''] = authorization.split(' ')
  const key = /^basic$/i.test(scheme) ? Buffer.from(token, 'base64').toString().split(':')[0] : token
  if (!key) throw invalid('You did not provide an API key.', { status: 401 })
  if (/^[sr]k_live_/.test(key)) throw invalid('The sandbox refuses live keys.', { status: 401 })
  const version = headers.get('stripe-version')
  if (version && version !== apiVersion)
    throw invalid(`The sandbox speaks API version ${apiVersion} only, not ${version}.`)
}

interface Stored {
  fingerprint: string
  status: number
  answer: Fields
  request_id: string
}

/** The stored answer for a key that was used within the last day; the same key with other parameters is an error. */
async function replay(client: PoolClient, key: string, print: string): Promise<Stored | null> {
  await client.query(`delete from stripe_sandbox.idempotency where created < now() - interval '1 day'`)
  const stored = (await client.query<Stored>('select * from stripe_sandbox.idempotency where key = $1', [key])).rows[0]
  if (stored && stored.fingerprint !== print) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
    throw new StripeError(400, { type: 'idempotency_error', message })
  }
  return stored ?? null
}

async function remember(
  client: PoolClient,
  key: string,
  print: string,
  made: { status: number; body: unknown },
  id: string,
): Promise<void> {
  const sql =
    'insert into stripe_sandbox.idempotency (key, fingerprint, status, answer, request_id) values ($1, $2, $3, $4, $5)'
  await client.query(sql, [key, print, made.status, JSON.stringify(made.body), id])
}
