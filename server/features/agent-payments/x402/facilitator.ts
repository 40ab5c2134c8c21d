import { z } from 'zod'
import { firstBytes } from '../../../net/first-bytes.ts'
import { type Terms, X402_VERSION } from './terms.ts'

const MOST_BYTES = 64 * 1024

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? undefined)
const verdict = z.object({ isValid: z.boolean(), invalidReason: text, payer: text })
const settlement = z.object({ success: z.boolean(), transaction: z.string(), network: z.string(), errorReason: text })

interface Facilitator {
  /** What it says of a payment, also with an error status below 500. Throws an Error where it says nothing. */
  verify: (payload: unknown, terms: Terms, timeoutMs: number) => Promise<z.output<typeof verdict>>
  /** Throws an Error for every status that is no success: what became of the payment is not known then. */
  settle: (payload: unknown, terms: Terms, timeoutMs: number) => Promise<z.output<typeof settlement>>
}

/**
 * Asks the server that verifies and sends payments. It is an operator's choice, but neither a redirect nor a long answer of it is
 * followed: signed payments and the token go to no other server. Errors never repeat what was sent or answered.
 */
export function createFacilitator(url: string, token: string | undefined): Facilitator {
  const ask = async <T>(
    verb: 'verify' | 'settle',
    answer: z.ZodType<T>,
    { payload, terms, timeoutMs }: { payload: unknown; terms: Terms; timeoutMs: number },
  ): Promise<{ status: number; data: T }> => {
    const response = await fetch(`${url.replace(/\/+$/, '')}/${verb}`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ x402Version: X402_VERSION, paymentPayload: payload, paymentRequirements: terms }),
    })
    const { bytes, whole } = await firstBytes(response, MOST_BYTES)
    if (!whole) throw new Error(`The facilitator answered ${verb} with more than ${MOST_BYTES} bytes.`)
    const parsed = answer.safeParse(jsonOf(bytes))
    if (!parsed.success) throw new Error(`The facilitator answered ${verb} with ${response.status}, and no verdict.`)
    return { status: response.status, data: parsed.data }
  }
  return {
    async verify(payload, terms, timeoutMs) {
      const { status, data } = await ask('verify', verdict, { payload, terms, timeoutMs })
      if (status >= 500 || (status >= 300 && data.isValid)) throw new Error(`The facilitator answered ${status}.`)
      return data
    },
    async settle(payload, terms, timeoutMs) {
      const { status, data } = await ask('settle', settlement, { payload, terms, timeoutMs })
      if (status >= 300) throw new Error(`The facilitator answered ${status}.`)
      return data
    },
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
