import { AppError } from './errors.ts'

/** For `catch` of a query without which a call cannot be charged: rejects with metering_unavailable. */
export function unavailable(cause: unknown): never {
  throw new AppError('metering_unavailable', undefined, { retryAfterSeconds: 2 }, { cause })
}
