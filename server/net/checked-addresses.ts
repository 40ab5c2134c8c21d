import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'

/** Why a URL was not fetched. The text is for the person who named it, and reveals nothing behind the guard. */
export class BlockedAddress extends Error {
  override name = 'BlockedAddress'
}

export interface Address {
  address: string
  family: number
}
export type Lookup = (host: string) => Promise<Address[]>

const DNS = { timeout: 2_000, tries: 2 }

/**
 * Asks DNS directly. The system's resolver takes one of Node's four threads for as long as a name server is silent, so a few
 * names of somebody's own would stop password checks, and every other name.
 */
async function askDns(host: string): Promise<Address[]> {
  const resolver = new dns.Resolver(DNS)
  resolver.setServers(dns.getServers())
  const [four, six] = await Promise.all([
    resolver.resolve4(host).catch(() => []),
    resolver.resolve6(host).catch(() => []),
  ])
  return [...four.map((address) => ({ address, family: 4 })), ...six.map((address) => ({ address, family: 6 }))]
}

/** Names of a private network may be known to the system only. */
const askSystem: Lookup = (host) => dns.lookup(host, { all: true, verbatim: true })

/** This machine by definition (RFC 6761); DNS does not know it. */
const LOCALHOST = /(^|\.)localhost\.?$/
export const PRIVATE = 'This address leads into a private network.'

/** The host name of a URL, or the address without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Whether the host is in a private network by its spelling alone: `localhost`, `10.0.0.8`. */
export const isPrivateHost = (host: string): boolean =>
  LOCALHOST.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))

/**
 * The addresses of a host, at least one. Unless private networks are allowed, each of them is public. Throws BlockedAddress.
 * `lookup` replaces the resolver, for tests.
 */
export async function checkedAddresses(
  host: string,
  { privateNetworks, lookup = privateNetworks ? askSystem : askDns }: { privateNetworks: boolean; lookup?: Lookup },
): Promise<Address[]> {
  if (!privateNetworks && isPrivateHost(host)) throw new BlockedAddress(PRIVATE)
  const family = isIP(host)
  const found = family ? [{ address: host, family }] : await lookup(host).catch(() => [])
  if (found.length === 0) throw new BlockedAddress('The name of this address could not be resolved.')
  if (!privateNetworks && !found.every(({ address }) => isPublicAddress(address))) throw new BlockedAddress(PRIVATE)
  return found
}
