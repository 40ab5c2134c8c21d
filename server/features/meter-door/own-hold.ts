import { AppError } from '../../http/errors.ts'
import type { DoorDeps } from './door-deps.ts'
import { type HeldCall, readHold } from './hold-token.ts'
import type { ServiceKey } from './verify-service-key.ts'

/** The meter knows for 24 hours what it charged. Long before that, a settlement must count as too late. */
const LONGEST_MS = 12 * 3_600_000

/** Throws not_found for a missing hold and for another service key's, and hold_ended for one of long ago. */
export function ownHold({ secrets }: Pick<DoorDeps, 'secrets'>, serviceKey: ServiceKey, token: string): HeldCall {
  const call = readHold(secrets, serviceKey.id, token)
  if (!call) throw new AppError('not_found', 'There is no such hold.')
  if (Date.now() - call.authorizedAtMs > LONGEST_MS) throw new AppError('hold_ended')
  return call
}
