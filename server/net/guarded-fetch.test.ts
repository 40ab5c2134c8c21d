import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPublicAddress } from './addresses.ts'
import { BlockedAddress, createGuardedFetch } from './guarded-fetch.ts'

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

const limits = { timeoutMs: 2_000, maxBytes: 1_000 }
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

test('public addresses are recognized', () => {
  expect(['93.184.216.34', '2606:4700:4700::1111'].map(isPublicAddress)).toEqual([true, true])
  expect(['', 'example.com', '1.2.3', '::ffff:8.8.8.8'].map(isPublicAddress)).toEqual([false, false, false, false])
})
