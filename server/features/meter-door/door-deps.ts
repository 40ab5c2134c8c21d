import type { Deps } from '../../deps.ts'
import { createAccountIds } from './account-ids.ts'
import { createServiceKeyVerifier } from './verify-service-key.ts'

/** What the verbs of this feature need, once for each server. */
export interface DoorDeps extends Deps {
  serviceKeys: ReturnType<typeof createServiceKeyVerifier>
  accountIds: ReturnType<typeof createAccountIds>
}

/** Adds to the dependencies what this feature keeps in memory. */
export const doorDeps = (deps: Deps): DoorDeps => ({
  ...deps,
  serviceKeys: createServiceKeyVerifier(deps),
  accountIds: createAccountIds(deps),
})
