import { releaseDoorCall } from './charge-door-call.ts'
import type { DoorDeps } from './door-deps.ts'
import { ownHold } from './own-hold.ts'
import type { ServiceKey } from './verify-service-key.ts'

/** Returns the credits of a call that was not carried out. Repeating it changes nothing. Throws not_found, hold_ended. */
export async function release(deps: DoorDeps, serviceKey: ServiceKey, hold: string): Promise<{ released: boolean }> {
  const call = ownHold(deps, serviceKey, hold)
  return { released: await releaseDoorCall(deps, call, call.holdId) }
}
