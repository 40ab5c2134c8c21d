import { AppError } from '../../http/errors.ts'

/** Throws invalid_parameter when `to` is before `from`; both are dates as text. */
export function checkOrder({ from, to }: { from?: string | undefined; to?: string | undefined }): void {
  if (from && to && from > to)
    throw new AppError('invalid_parameter', `to (${to}) is before from (${from}).`, { param: 'to' })
}
