import type { Deps } from '../../../deps.ts'
import { findClient } from '../clients.ts'
import { OAuthError } from '../oauth-error.ts'

/**
 * The programs that may use device authorization, by client id. Anybody can send a person a code, so a name that
 * anybody could choose must not stand beside it.
 */
const deviceClients = new Map([['finmeter-cli', 'Finmeter command line']])

/** The name that the page shows. */
export const nameOfDeviceClient = (id: string): string => deviceClients.get(id) ?? id

/** Throws OAuthError: unauthorized_client for a client that is known, but not for this grant; invalid_client. */
export async function requireDeviceClient(deps: Deps, id: string, ip: string): Promise<void> {
  if (deviceClients.has(id)) return
  await findClient(deps, id, ip)
  throw new OAuthError('unauthorized_client', 'This client must use the authorization code grant.')
}
