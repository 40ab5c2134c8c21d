import { FinmeterError, lost, readProblem } from '../errors.ts'

/** What a guarded piece of code stands for, and what it costs. */
export interface Priced {
  /** The name of the published operation. */
  operation: string
  /** The price of a call, or the most that it may cost. Instead of `units`. */
  credits?: number
  /** What a call counts, or the most that it may count, if the operation has a price by unit. */
  units?: number
  /** How long credits stay reserved if this process dies meanwhile. Default 300. */
  holdSeconds?: number
  /** What becomes of them then. Default: `release`. With `charge`, idempotency keys of customers do not count. */
  unsettled?: 'release' | 'charge'
}

/** Where Finmeter is, and who asks. */
export interface DoorOptions {
  /** Address of the installation. Default: FINMETER_URL. */
  url?: string
  /** From `npm run admin -- meter-key`. Default: FINMETER_SERVICE_KEY. */
  serviceKey?: string
  fetch?: typeof fetch
  /** Longest time for one request. Default 10,000. */
  timeoutMs?: number
}

export interface Customer {
  key: string
  idempotencyKey?: string | undefined
  /** Needed for keys that are bound to networks. */
  address?: string | undefined
  client?: string | undefined
}

/** What the work came to; everything that was reserved, unless stated. */
export interface Cost {
  credits?: number
  units?: number
}

export interface Settled {
  receipt: string
  creditsCharged: number
  /** Null if the plan has no count. */
  remaining: number | null
  /** The call had been charged before. */
  replayed: boolean
}

export interface Held {
  /** Names the hold, for a settlement by another process. */
  hold: string
  /** The id of the account, which never changes. */
  account: string
  /** Durable when it resolves. `failed` calls are recorded and cost nothing. */
  settle: (cost?: Cost, status?: 'success' | 'failed') => Promise<Settled>
  /** For calls that were not carried out. They are not recorded. */
  release: () => Promise<void>
}

const TRIES = 4
const FIRST_WAIT_MS = 100

const setting = (name: string): string | undefined =>
  (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env[name]

/**
 * Reserves what a customer's call may cost. Rejects with FinmeterError: the customer's refusal, or `metering_unavailable`
 * (status 503) for everything that is not the customer's fault.
 */
export async function authorize(priced: Priced, customer: Customer, options: DoorOptions = {}): Promise<Held> {
  const { operation, credits, units, holdSeconds, unsettled } = priced
  const body = {
    key: customer.key,
    operation,
    credits,
    units,
    hold_seconds: holdSeconds,
    unsettled,
    idempotency_key: unsettled === 'charge' ? undefined : customer.idempotencyKey,
    address: customer.address,
    client: customer.client,
  }
  // A lost answer may have left a hold, and each that is charged at its end would cost the customer.
  const tries = unsettled === 'charge' ? 1 : TRIES
  const { hold, account } = await ask<{ hold: string; account: string }>('authorize', body, options, tries)
  return {
    hold,
    account,
    async settle(cost = {}, status = 'success') {
      const settled = await ask<{
        receipt: string
        credits_charged: number
        remaining: number | null
        replayed: boolean
      }>('settle', { hold, status, ...(status === 'success' && cost) }, options)
      const { receipt, credits_charged: creditsCharged, remaining, replayed } = settled
      return { receipt, creditsCharged, remaining, replayed }
    },
    async release() {
      await ask('release', { hold }, options)
    },
  }
}

/** A lost answer is asked for again, up to `most` requests in all. */
async function ask<T>(verb: string, body: object, options: DoorOptions, most = TRIES): Promise<T> {
  const { url = setting('FINMETER_URL'), serviceKey = setting('FINMETER_SERVICE_KEY'), timeoutMs = 10_000 } = options
  if (!url || !serviceKey)
    throw new Error('A guard needs url and serviceKey, or FINMETER_URL and FINMETER_SERVICE_KEY.')
  const send = options.fetch ?? fetch
  for (let tries = 1; ; tries++) {
    const failure = await send(`${url.replace(/\/$/, '')}/v1/meter/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'finmeter-service-key': serviceKey },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    }).then(
      async (response) => (response.ok ? { answer: (await response.json()) as T } : readProblem(response)),
      (cause: unknown) => lost('connection_failed', 'Finmeter did not answer.', cause),
    )
    if (!(failure instanceof FinmeterError)) return failure.answer
    const passing = failure.status === 0 || failure.status >= 500
    if (passing && tries < most) {
      await new Promise((done) => setTimeout(done, FIRST_WAIT_MS * 2 ** (tries - 1)))
      continue
    }
    if (!passing && customersFault.has(failure.code)) throw failure
    throw new FinmeterError(
      {
        code: 'metering_unavailable',
        detail: 'Credits cannot be checked at the moment. Try again shortly.',
        retry_after: 1,
      },
      503,
      { cause: failure },
    )
  }
}

/** Everything else is a mistake of the service, of which its customers learn nothing. */
const customersFault: ReadonlySet<string> = new Set([
  'key_missing',
  'key_invalid',
  'insufficient_credits',
  'key_budget_exceeded',
  'forbidden',
  'account_suspended',
  'not_entitled',
  'idempotency_mismatch',
  'rate_limited',
])
