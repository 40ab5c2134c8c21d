import { BlockList, isIP } from 'node:net'
import { AppError } from '../../http/errors.ts'

interface Network {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/**
 * Addresses and networks in stored form: CIDR, without those inside another one. Throws invalid_parameter, naming the
 * first invalid one and the correct form.
 */
export function readNetworks(texts: readonly string[]): string[] {
  const networks = texts.map(readNetwork)
  const kept = networks.filter(
    (network, index) =>
      !networks.some((other, at) => at !== index && covers(other, network) && (at < index || !covers(network, other))),
  )
  return kept.map(({ address, prefix }) => `${address}/${prefix}`)
}

/** Returns a test for whether an address is in one of the networks. IPv4-mapped IPv6 counts as IPv4. */
export function networkTest(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of networks) {
    const { address, prefix, family } = readNetwork(text)
    list.addSubnet(address, prefix, family)
  }
  return (address) => {
    const plain = address.replace(/%.*$/, '')
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
  }
}

function readNetwork(text: string): Network {
  const [address = '', prefixText, ...more] = text.trim().toLowerCase().split('/')
  const version = isIP(address)
  const bits = version === 4 ? 32 : 128
  const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1
  if (version === 0 || address.includes('%') || more.length > 0 || prefix < 0 || prefix > bits)
    throw wrong(text, 'is not an address or network. Write 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32')
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const whole = addressBits(address, version)
  const host = BigInt(bits - prefix)
  const start = (whole >> host) << host
  if (start !== whole)
    throw wrong(
      text,
      `has bits beyond /${prefix}: write ${addressText(start, version)}/${prefix} for the network, or the address alone`,
    )
  return { address: addressText(whole, version), prefix, family }
}

const covers = (outer: Network, inner: Network): boolean => {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false
  const list = new BlockList()
  list.addSubnet(outer.address, outer.prefix, outer.family)
  return list.check(inner.address, inner.family)
}

function addressBits(address: string, version: number): bigint {
  if (version === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = host.split('::')
  const words = (part: string) => (part === '' ? [] : part.split(':'))
  const before = words(head)
  const after = tail === undefined ? [] : words(tail)
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(zeros).fill('0'), ...after].reduce(
    (sum, word) => sum * 65536n + BigInt(`0x${word}`),
    0n,
  )
}

function addressText(bits: bigint, version: number): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
  const words = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 65535n).toString(16))
  return new URL(`http://[${words.join(':')}]`).hostname.slice(1, -1)
}

function wrong(text: string, what: string): AppError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new AppError('invalid_parameter', `allowedNetworks: ${shown} ${what}.`, { param: 'allowedNetworks' })
}
