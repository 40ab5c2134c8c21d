import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkTest, readNetworks } from './networks.ts'

test.each([
  [['203.0.113.7'], ['203.0.113.7/32']],
  [[' 2001:DB8::1 '], ['2001:db8::1/128']],
  [['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3'], ['10.0.0.0/8']],
  [['10.1.2.3', '10.1.0.0/16', '10.0.0.0/8', '10.0.0.0/8'], ['10.0.0.0/8']],
  [
    ['2001:db8::/32', '2001:db8:1::/48', '10.0.0.0/8'],
    ['2001:db8::/32', '10.0.0.0/8'],
  ],
  [
    ['0.0.0.0/0', '::/0'],
    ['0.0.0.0/0', '::/0'],
  ],
  [
    ['10.0.0.0/9', '10.128.0.0/9'],
    ['10.0.0.0/9', '10.128.0.0/9'],
  ],
])('%j is stored as %j', (given, kept) => {
  expect(readNetworks(given)).toEqual(kept)
})

test.each([
  '',
  'x',
  '10.0.0',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10.0.0.256',
  '::1/129',
  'fe80::1%eth0',
  '10.0.0.0/1e1',
  "'; drop table api_keys",
])('%s is refused with the correct form', (text) => {
  expect(() => readNetworks(['10.0.0.0/8', text])).toThrow(/is not an address or network\. Write 203\.0\.113\.7, /)
})

test.each([
  ['10.0.0.1/8', 'write 10.0.0.0/8 for the network'],
  ['2001:db8::1/32', 'write 2001:db8::/32 for the network'],
])('%s is ambiguous and refused: %s', (text, way) => {
  expect(() => readNetworks([text])).toThrow(way)
})

test('only addresses of the networks pass, including IPv4-mapped IPv6', () => {
  const allows = networkTest(['203.0.113.0/24', '2001:db8::/32'])
  expect(['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.9', '2001:db8::5', '2001:DB8:0:0::1'].map(allows)).toEqual(
    Array(5).fill(true),
  )
  expect(
    ['203.0.112.255', '203.0.114.0', '::ffff:10.0.0.1', '2001:db9::1', '', 'unknown', '203.0.113.7:80'].map(allows),
  ).toEqual(Array(7).fill(false))
})

test('dropping networks within others never changes which addresses pass', () => {
  const network = fc.tuple(fc.nat(255), fc.nat(255), fc.integer({ min: 8, max: 24 })).map(([a, b, prefix]) => {
    const bits = ((10 << 24) | (a << 16) | (b << 8)) >>> 0
    const start = (bits & ((0xffffffff << (32 - prefix)) >>> 0)) >>> 0
    return `${[24, 16, 8, 0].map((shift) => (start >>> shift) & 255).join('.')}/${prefix}`
  })
  const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `10.${parts.join('.')}`)
  fc.assert(
    fc.property(
      fc.array(network, { minLength: 1, maxLength: 8 }),
      fc.array(address, { minLength: 1, maxLength: 20 }),
      (networks, addresses) => {
        const [all, kept] = [networkTest(networks), networkTest(readNetworks(networks))]
        expect(addresses.map(kept)).toEqual(addresses.map(all))
      },
    ),
    { numRuns: 200 },
  )
})
