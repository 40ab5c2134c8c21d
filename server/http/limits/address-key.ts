import { isIPv6 } from 'node:net'

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * The key by which limits count an address: IPv4 addresses as they are, also when written as IPv6; IPv6 addresses by their
 * first 64 bits, because one household can use any number of addresses within them.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED_IPV4.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address)) return address
  const [before, after] = address.toLowerCase().split('%', 1)[0]!.split('::') as [string, string?]
  const groups = before === '' ? [] : before.split(':')
  // `::` stands for as many groups of zeros as are missing; an IPv4 address at the end takes two groups.
  const rest = after ? after.split(':').flatMap((group) => (group.includes('.') ? ['v4', 'v4'] : [group])) : []
  const all = after === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill('0'), ...rest]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
