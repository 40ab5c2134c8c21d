import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPublicAddress } from './addresses.ts'
import { BlockedAddress } from './checked-addresses.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

let inside: Server
let port: number
let reached: string[] = []
beforeAll(async () => {
  inside = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    if (request.url === '/redirect') return response.writeHead(302, { location: '/secret' }).end()
    if (request.url === '/large') return response.end('x'.repeat(5_000))
    if (request.url === '/silent') return undefined
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end(`inside ${body}`),
    )
    return undefined
  })
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done))
  port = (inside.address() as AddressInfo).port
})
afterAll(() => {
  inside.closeAllConnections()
  inside.close()
})

const limits = { timeoutMs: 60_000, maxBytes: 1_000 }
const guarded = createGuardedFetch({ ...limits, privateNetworks: false })
const open = createGuardedFetch({ ...limits, privateNetworks: true })

describe('private addresses are refused before anything is sent', () => {
  test.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://10.0.0.8/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ])('%s', async (url) => {
    reached = []
    await expect(guarded(url)).rejects.toThrow(BlockedAddress)
    expect(reached).toEqual([])
  })

  test.each([
    ['http://example.com/', 'Only https addresses are fetched.'],
    ['https://example.com:22/', 'Only the ports 443 and 8443 are fetched.'],
    ['https://user:password@example.com/', 'An address with a user name or password is not fetched.'],
    ['ftp://example.com/', 'Only https addresses are fetched.'],
    ['file:///etc/passwd', 'Only https addresses are fetched.'],
  ])('%s', async (url, text) => {
    await expect(guarded(url)).rejects.toThrow(text)
  })
})

test('names are asked over DNS, so that a silent name server holds no thread', async () => {
  const nameServer = createSocket('udp4')
  const asked: string[] = []
  nameServer.on('message', (query, { port: from, address }) => {
    const end = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(end - 4) === 1
    asked.push(isA ? 'A' : 'AAAA')
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from(isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 8] : [])
    nameServer.send(Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), answer]), from, address)
  })
  await new Promise<void>((done) => nameServer.bind(0, '127.0.0.1', done))
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${nameServer.address().port}`])
  try {
    await expect(guarded('https://somebody.example/')).rejects.toThrow('This address leads into a private network.')
    // A question that waits long for its answer is sent again.
    expect([...new Set(asked)].sort()).toEqual(['A', 'AAAA'])
  } finally {
    dns.setServers(before)
    nameServer.close()
  }
})

test('a name with one private address among public ones is refused', async () => {
  const lookup = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const fetchIt = createGuardedFetch({ ...limits, privateNetworks: false, lookup })
  await expect(fetchIt('https://mixed.example/')).rejects.toThrow('This address leads into a private network.')
})

test('DNS rebinding: the name is resolved once, and the connection goes to the address that was checked', async () => {
  let asked = 0
  // First a harmless address, then another one, as a rebinding name server returns them.
  const lookup = async () => {
    asked += 1
    return [{ address: asked === 1 ? '127.0.0.1' : '203.0.113.9', family: 4 }]
  }
  const fetchIt = createGuardedFetch({ ...limits, privateNetworks: true, lookup })
  const answer = await fetchIt(`http://rebind.example:${port}/hello`)
  expect(await answer.text()).toBe('inside ')
  expect(asked).toBe(1)
})

test('redirects are not followed', async () => {
  reached = []
  await expect(open(`http://127.0.0.1:${port}/redirect`)).rejects.toThrow('redirects are not followed')
  expect(reached).toEqual(['GET /redirect'])
})

test('large and slow answers are cut off, cookies are dropped', async () => {
  const large = await open(`http://127.0.0.1:${port}/large`)
  await expect(large.text()).rejects.toThrow()
  const quick = createGuardedFetch({ maxBytes: 100, timeoutMs: 100, privateNetworks: true })
  await expect(quick(`http://127.0.0.1:${port}/silent`)).rejects.toThrow()
  const posted = await open(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'hello' })
  expect(await posted.text()).toBe('inside hello')
  expect(posted.headers.has('set-cookie')).toBe(false)
})

// A row for each special-purpose block of the IANA registries (RFC 6890), with its first and last address, and one address on
// each side of blocks that lie within public space.
test.each<[block: string, inside: string[], outside?: string[]]>([
  ['this network', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['private use', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255']],
  ['around private use', [], ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255']],
  ['carrier-grade NAT', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['loopback', ['127.0.0.0', '127.255.255.255'], ['126.255.255.255', '128.0.0.1']],
  ['link local, metadata services', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255']],
  ['IETF protocol assignments', ['192.0.0.0', '192.0.0.255'], ['192.0.1.0']],
  ['documentation', ['192.0.2.1', '198.51.100.255', '203.0.113.0'], ['198.51.101.0', '203.0.112.255']],
  ['6to4 relays', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255']],
  ['benchmarking', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['multicast', ['224.0.0.1', '239.255.255.255'], ['223.255.255.255']],
  ['reserved and broadcast', ['240.0.0.0', '255.255.255.255']],
  ['IPv6 unspecified and loopback', ['::', '::1']],
  ['IPv4-mapped', ['::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1']],
  ['IPv4-compatible', ['::127.0.0.1', '::8.8.8.8']],
  ['IPv4-translated', ['::ffff:0:127.0.0.1']],
  ['NAT64', ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::ffff:ffff']],
  ['NAT64 of a local network', ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff']],
  ['discard only', ['100::', '100::ffff:ffff:ffff:ffff']],
  ['Teredo', ['2001::', '2001:0:ffff::1'], ['2000:ffff::1']],
  ['IPv6 benchmarking', ['2001:2::', '2001:2:0:ffff::']],
  ['ORCHID', ['2001:10::', '2001:20::1', '2001:30::1']],
  ['rest of the IETF block', ['2001:1ff:ffff::'], ['2001:200::']],
  ['IPv6 documentation', ['2001:db8::1', '3fff::', '3fff:fff:ffff::'], ['2001:db9::', '3fff:1000::']],
  ['6to4', ['2002::', '2002:7f00:1::', '2002:ffff:ffff::'], ['2003::']],
  ['segment routing', ['5f00::', '5f00:ffff::']],
  ['unallocated', ['4000::', '8000::', '1fff::'], ['2000::1']],
  ['unique local', ['fc00::', 'fd00:ec2::254', 'fdff:ffff::']],
  ['IPv6 link local', ['fe80::1', 'febf:ffff::', 'fe80::1%eth0', '2606:4700::1%eth0']],
  ['site local', ['fec0::1', 'feff::']],
  ['IPv6 multicast', ['ff00::', 'ff02::1', 'ff0e::1']],
  ['public', [], ['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001::1']],
  ['no address', ['', 'example.com', '1.2.3', '1.2.3.4.5', '0x7f.1', '010.0.0.1', ':::']],
])('%s is told apart from the public internet', (_block, inside, outside = []) => {
  expect(inside.filter(isPublicAddress)).toEqual([])
  expect(outside.filter((address) => !isPublicAddress(address))).toEqual([])
})
