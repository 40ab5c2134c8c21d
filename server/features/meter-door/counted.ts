import type { Deps } from '../../deps.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import type { Caller } from '../metering/meter.ts'

/** Does `work` for a known customer. A refusal counts in the customer's usage, as on every surface. */
export async function counted<T>(
  { refusals }: Pick<Deps, 'refusals'>,
  caller: Caller,
  record: CallRecord,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError) refusals.count(caller, error, record.tool)
    throw error
  }
}
