import type { Fields } from '../objects/bodies.ts'

interface Details {
  code?: string
  param?: string
  status?: number
}

/** An answer in Stripe's error envelope. `keep` commits what the request wrote, such as the record of a declined charge. */
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

/** An invalid request; 400 by default. */
export function invalid(message: string, { status = 400, ...details }: Details = {}): StripeError {
  return new StripeError(status, { type: 'invalid_request_error', message, ...details })
}

/** 404 for an object that is missing or of another type; Stripe uses the same words for both. */
export function noSuch(kind: string, id: string, param = 'id'): StripeError {
  return invalid(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param })
}

/** 402: the card was declined. `payment` names the payment intent, if any. */
export function cardError(error: Fields, payment: Fields, keep: boolean): StripeError {
  return new StripeError(402, { ...error, type: 'card_error', ...payment }, keep)
}
