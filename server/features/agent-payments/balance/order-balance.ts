import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { chooseKey, type Presented, type Surface, verifyPresented } from '../../keys/credentials.ts'
import { parserOf } from '../../tools/input/parse-input.ts'
import { readIdempotencyKey } from '../../tools/prepare.ts'
import { Attempt, type AttemptDeps, usdText } from '../attempt.ts'
import type { PaymentMethod, Quote } from '../method.ts'
import { LEAST_USD, MOST_USD } from './require-room.ts'
import { readSold, type SoldBalance } from './sold-balance.ts'

/** Also the name of the tool. */
export const BUY_BALANCE = 'buy_balance'
/** Nothing runs, so only the payment takes time. */
const TIMEOUT_MS = 15_000
/** What is on a chain is public, and asks for the key again together with this. So it must not be guessed. */
const LEAST_SECRET_CHARACTERS = 16

export const orderInput = z.strictObject({
  usd: z.int().min(LEAST_USD).max(MOST_USD).describe('US dollars to pay, a whole number'),
  idempotency_key: z
    .string()
    .optional()
    .describe(
      'A random text of your own, 16 characters or more. Needed with a payment: it gives you the same answer again',
    ),
})
const parse = parserOf(orderInput, Object.keys(orderInput.shape))

/** A request for a balance, whatever transport carries it. */
interface Wish {
  input: unknown
  /** Names what is bought, as the payment does. */
  url: string
  payment: unknown
  /** Its key, if any, names the balance to add to. */
  given: Presented
  surface: Surface
  /** An idempotency key outside the input. */
  headerKey: unknown
  country: string | undefined
  isGone: () => boolean
}

/** How a transport answers. */
interface Answers<A> {
  sold: (balance: SoldBalance) => A
  /** Without the terms or the receipt. */
  refused: (error: unknown) => A
  /** Adds what became of the payment, or the terms. */
  dress: (answer: A, attempt: Attempt) => A
}

/** Reads what is asked for, takes the payment, and answers. Throws nothing. */
export async function sellBalance<A>(
  deps: BalanceDeps,
  method: PaymentMethod,
  wish: Wish,
  { sold, refused, dress }: Answers<A>,
): Promise<A> {
  let attempt: Attempt | undefined
  const answer = async (): Promise<A> => {
    try {
      attempt = await orderBalance(deps, method, wish)
      return sold(await readSold(deps, await attempt.buy()))
    } catch (error) {
      return refused(error)
    } finally {
      await attempt?.end()
    }
  }
  const given = await answer()
  return attempt ? dress(given, attempt) : given
}

type BalanceDeps = AttemptDeps & Parameters<typeof verifyPresented>[0]

/** Reads what is asked for. Throws invalid_parameter, key_invalid, forbidden (the key is of no such balance), rate_limited. */
async function orderBalance(deps: BalanceDeps, method: PaymentMethod, wish: Wish): Promise<Attempt> {
  const { given, payment, country, isGone } = wish
  const address = given.address ?? ''
  await deps.limits.count('agentRequests', { address })
  const { usd, idempotency_key: own } = parse(wish.input ?? {}) as z.output<typeof orderInput>
  const idempotencyKey = readIdempotencyKey(own ?? wish.headerKey, 'idempotency_key')
  if (payment !== undefined && (idempotencyKey?.length ?? 0) < LEAST_SECRET_CHARACTERS)
    throw new AppError(
      'invalid_parameter',
      `idempotency_key: send a random text of at least ${LEAST_SECRET_CHARACTERS} characters with the payment. With it, you get the same answer again if this one is lost. Nothing was charged.`,
      { param: 'idempotency_key' },
    )
  const topUp = chooseKey(given) === undefined ? null : await balanceOf(deps, given, wish.surface)
  const quote = quoteBalance(deps.config.AGENT_CREDIT_MICRO_USD!, usd, wish.url)
  const cost = `${quote.credits} credits cost ${usdText(quote.microUsd)}.`
  return new Attempt(deps, method, {
    quote,
    wanted: `${cost} Pay as the terms in this response say, and send an idempotency_key with the payment.`,
    product: 'balance',
    topUp,
    requestHash: createHash('sha256')
      .update(JSON.stringify([BUY_BALANCE, usd, topUp]))
      .digest('hex'),
    payment,
    idempotencyKey,
    address,
    country,
    isGone,
  })
}

function quoteBalance(creditMicroUsd: number, usd: number, url: string): Quote {
  const microUsd = BigInt(usd) * 1_000_000n
  const credits = Number(microUsd / BigInt(creditMicroUsd))
  if (credits === 0)
    throw new AppError('invalid_parameter', `usd: one credit costs ${usdText(BigInt(creditMicroUsd))} here.`, {
      param: 'usd',
    })
  return { credits, microUsd, resource: { url, description: `${credits} credits` }, timeoutMs: TIMEOUT_MS }
}

/** The account of a key, if agents can add to it. */
export async function balanceOf(deps: BalanceDeps, given: Presented, surface: Surface): Promise<number> {
  const { accountId } = await verifyPresented(deps, given, surface)
  const { rows } = await sql`select from agent_balances where account_id = ${accountId}`.execute(deps.db.kysely)
  if (rows.length === 0)
    throw new AppError(
      'forbidden',
      'This key is not of a balance that an agent bought. The owner of its account adds credits in the dashboard.',
    )
  return accountId
}
