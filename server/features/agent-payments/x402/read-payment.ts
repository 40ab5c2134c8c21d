import { createHash } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { sorted } from '../../tools/request-hash.ts'
import type { Credential } from '../method.ts'
import { X402_VERSION } from './terms.ts'

/** Base64 of the largest payment that is decoded. */
const MOST_CHARACTERS = 8 * 1024

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const seconds = z.string().regex(/^\d{1,12}$/)
const schema = z.object({
  x402Version: z.literal(X402_VERSION),
  resource: z.object({ url: z.string().max(4_000) }),
  accepted: z.record(z.string(), z.unknown()),
  payload: z.object({
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2000}$/),
    authorization: z.object({
      from: address,
      to: address,
      value: z.string().regex(/^(0|[1-9]\d{0,77})$/),
      validAfter: seconds,
      validBefore: seconds,
      nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    }),
  }),
})

export interface X402Credential extends Credential {
  /** `accepted`, in one order. */
  accepted: string
  resourceUrl: string
  validAfter: Date
  /** As it came, for the facilitator. */
  payload: z.output<typeof schema>
}

const malformed = (): AppError =>
  new AppError(
    'invalid_parameter',
    'The payment cannot be read. Send an x402 payment of version 2 with the scheme "exact", at most 8 KB, made from the terms of a 402 response.',
    { param: 'PAYMENT-SIGNATURE' },
  )

/** Decodes a payment: base64 of JSON over REST, an object over MCP. Throws invalid_parameter. */
export function readPayment(given: unknown): X402Credential {
  const parsed = schema.safeParse(typeof given === 'string' ? fromBase64(given) : within(given))
  if (!parsed.success) throw malformed()
  const { data } = parsed
  const { signature, authorization } = data.payload
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  // In one spelling: another letter case is the same payment.
  const fields = [from, to, value, validAfter, validBefore, nonce, signature].map((field) => field.toLowerCase())
  return {
    network: String(data.accepted.network).slice(0, 100),
    asset: String(data.accepted.asset).slice(0, 100).toLowerCase(),
    payer: from.toLowerCase(),
    nonce: nonce.toLowerCase(),
    payTo: to.toLowerCase(),
    amount: value,
    validAfter: new Date(Number(validAfter) * 1000),
    validBefore: new Date(Number(validBefore) * 1000),
    hash: createHash('sha256').update(JSON.stringify(fields)).digest('hex'),
    accepted: JSON.stringify(sorted(data.accepted)),
    resourceUrl: data.resource.url,
    payload: data,
  }
}

function fromBase64(text: string): unknown {
  if (text.length > MOST_CHARACTERS || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw malformed()
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString())
  } catch {
    throw malformed()
  }
}

function within(given: unknown): unknown {
  if (JSON.stringify(given ?? null).length > MOST_CHARACTERS) throw malformed()
  return given
}
