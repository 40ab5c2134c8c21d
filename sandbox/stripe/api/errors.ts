import type { Fields } from '../objects/bodies.ts'

interface Details {
  code?: string
  param?: string
  status?: number
}

/** An answer in Stripe's error envelope. `keep` commits what the request wrote: a declined charge leaves its traces. */
export class StripeError extends Error {
  readonly status: number
  readonly keep: boolean
  readonly fields: Fields

  constructor(status: number, fields: Fields, keep = false) {
    super(String(fields.message))
    this.status = status
    this.fields = fields
    this.keep = keep
  }
}

/** 400 unless told otherwise: the request cannot be served as it is. */
export function invalid(message: string, { status = 400, ...details }: Details = {}): StripeError {
  return new StripeError(status, { type: 'invalid_request_error', message, ...details })
}

/** 404: unknown, or of another type; Stripe words both the same. */
export function noSuch(kind: string, id: string, param = 'id'): StripeError {
  return invalid(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param })
}

/** 402: the card was refused. `payment` is the payment intent or setup intent that stays behind. */
export function cardError(error: Fields, payment: Fields, keep: boolean): StripeError {
  return new StripeError(402, { ...error, type: 'card_error', ...payment }, keep)
}
