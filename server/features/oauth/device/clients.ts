import type { Deps } from '../../../deps.ts'
import type { Shop } from '../../shop/shop.ts'
import { findClient } from '../clients.ts'
import { OAuthError } from '../oauth-error.ts'

/**
 * The programs that may use device authorization, by client id. Anybody can send a person a code, so a name that
 * anybody could choose must not stand beside it. The shop's name is put before these.
 */
const deviceClients = new Map([['finmeter-cli', 'command line']])

/** The name that the page shows. */
export function nameOfDeviceClient(id: string, { name }: Pick<Shop, 'name'>): string {
  const program = deviceClients.get(id)
  return program === undefined ? id : `${name} ${program}`
}

/** Throws OAuthError: unauthorized_client for a client that is known, but not for this grant; invalid_client. */
export async function requireDeviceClient(deps: Deps, id: string, ip: string): Promise<void> {
  if (deviceClients.has(id)) return
  await findClient(deps, id, ip)
  throw new OAuthError('unauthorized_client', 'This client must use the authorization code grant.')
}
