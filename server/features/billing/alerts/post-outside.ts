import { lookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const TIMEOUT_MS = 10_000

const inside = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(network, bits, 'ipv6')

/** Whether an address belongs to this machine or a private network. IPv4-mapped IPv6 counts as IPv4. */
export function isInside(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return isInside(mapped)
  return inside.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

interface Post {
  body: string
  headers: Record<string, string>
  /** A sandbox on a laptop may post to itself. Other servers must not be used to reach their private network. */
  allowPrivate: boolean
}

/**
 * Posts to a customer's URL and returns the status. Redirects are not followed, and the resolved address is checked
 * when connecting. Throws when it is private, or nothing answers within 10 s.
 */
export function postOutside(url: string, { body, headers, allowPrivate }: Post): Promise<number> {
  const target = new URL(url)
  const literal = target.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(literal) !== 0 && isInside(literal)) return Promise.reject(new Error(PRIVATE))
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((done, failed) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const sent = send(target, {
      method: 'POST',
      headers: { ...headers, ...length },
      lookup: allowPrivate ? undefined : lookupOutside,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    sent.once('error', failed)
    sent.once('response', (answer) => {
      answer.destroy()
      done(answer.statusCode ?? 0)
    })
    sent.end(body)
  })
}

const PRIVATE = 'The address is on a private network.'

const lookupOutside: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0)
    if (addresses.length === 0 || addresses.some(({ address }) => isInside(address)))
      return callback(new Error(PRIVATE), '', 0)
    if (options.all) return callback(null, addresses)
    callback(null, addresses[0]!.address, addresses[0]!.family)
  })
}
