import { BlockList, isIP } from 'node:net'

/**
 * Addresses outside the public internet: this machine, private and shared networks, metadata services, special uses.
 */
const blocked = new BlockList()
const IPV4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
for (const [net, bits] of IPV4) blocked.addSubnet(net, bits, 'ipv4')

/** Of IPv6 only 2000::/3 is public, minus tunnels and documentation. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const special6 = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special6.addSubnet(net, bits, 'ipv6')

/**
 * Whether the address (as a resolver returns it) is on the public internet. False for anything that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !blocked.check(address, 'ipv4')
  // With a zone, the address means one interface of this machine.
  if (version === 6) return !address.includes('%') && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
  return false
}
