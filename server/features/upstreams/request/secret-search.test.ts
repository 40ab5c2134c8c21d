import { expect, test } from 'vitest'
import { createSecretSearch } from './secret-search.ts'

const SECRET = `sk-live/A&"\\<z>'+ 0123456789`
const { isIn, isInWhole, beginningAtEnd } = createSecretSearch([SECRET])
const coded = (write: (mark: string, code: string) => string) =>
  Array.from(SECRET, (mark) => write(mark, mark.charCodeAt(0).toString(16))).join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const html = SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const dresses: [string, string][] = [
  ['as it is', SECRET],
  ['in capitals', SECRET.toUpperCase()],
  ['JSON', JSON.stringify({ a: SECRET })],
  ['JSON within JSON within JSON', JSON.stringify(JSON.stringify(JSON.stringify(SECRET)))],
  ['JSON of PHP', JSON.stringify(SECRET).replaceAll('/', '\\/')],
  ['JSON of .NET', coded((mark, code) => (/[\w-]/.test(mark) ? mark : `\\u00${code.toUpperCase()}`))],
  ['\\u for every character', coded((_, code) => `\\u00${code}`)],
  ['the same within JSON', JSON.stringify(coded((_, code) => `\\u00${code}`))],
  ['\\x', coded((_, code) => `\\x${code}`)],
  ['an address', `/a?key=${encodeURIComponent(SECRET)}&b=1`],
  ['a form', new URLSearchParams({ key: SECRET }).toString()],
  ['every character in percent', coded((_, code) => `%${code}`)],
  ['percent of percent', encodeURIComponent(encodeURIComponent(encodeURIComponent(SECRET)))],
  ['small hexadecimal in percent', encodeURIComponent(SECRET).toLowerCase()],
  ['HTML', html.replaceAll("'", '&#39;')],
  ['HTML by numbers', coded((_, code) => `&#x00${code};`)],
  ['HTML by decimal numbers', coded((_, code) => `&#${Number.parseInt(code, 16)};`)],
  ['hexadecimal', `0x${Buffer.from(SECRET).toString('hex')}`],
  ['hexadecimal in capitals', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['base64', base64(SECRET)],
  ['base64 one byte on', base64(`x${SECRET}yz`)],
  ['base64 two bytes on', base64(`xy${SECRET}z`)],
  ['base64 for addresses', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ['base64 in JSON of PHP', base64(`${SECRET}???`).replaceAll('/', '\\/')],
  ['base64 in percent', encodeURIComponent(base64(SECRET))],
]
test.each(dresses)('%s is found, in text and in bytes', async (_, dressed) => {
  expect([isIn(`a ${dressed} b`), isIn(Buffer.from(`a ${dressed} b`)), await isInWhole(Buffer.from(dressed))]).toEqual([
    true,
    true,
    true,
  ])
})

test.each(dresses)('%s waits from its beginning on', (_, dressed) => {
  const before = '{"a": 1}\n'
  for (let length = 1; length < dressed.length; length++) {
    const seen = before + dressed.slice(0, length)
    if (isIn(seen)) break
    const kept = beginningAtEnd(Buffer.from(seen))
    expect([length, isIn(seen.slice(seen.length - kept) + dressed.slice(length))]).toEqual([length, true])
  }
})

test.each([
  '',
  'sk-live',
  SECRET.slice(1),
  SECRET.slice(0, -1),
  base64(SECRET).toUpperCase(),
  `${SECRET.slice(0, 9)} ${SECRET.slice(9)}`,
])('%j is none', (text) => expect(isIn(text)).toBe(false))

test('nothing waits at the end of an event', () => {
  for (const text of ['', 'data: {"a":1}\n\n', 'sk-live\n', 'a\\n\n']) expect(beginningAtEnd(Buffer.from(text))).toBe(0)
})

test('the end of a long secret is enough, and a short one is not looked for', () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.${'x1Yz'.repeat(500)}.signature`
  const long = createSecretSearch([token, `Bearer ${token}`])
  expect([token, base64(`a${token}`), 'eyJhbGciOiJSUzI1NiJ9.other'].map(long.isIn)).toEqual([true, true, false])
  expect(createSecretSearch(['abcde']).isIn('abcde')).toBe(false)
  expect(createSecretSearch([]).beginningAtEnd(Buffer.from('a%'))).toBe(0)
})

test('a secret where a long body is divided is found', async () => {
  const body = (before: number) => Buffer.concat([Buffer.alloc(before, 97), Buffer.from(SECRET), Buffer.alloc(9, 97)])
  for (const before of [2 ** 20 - 30, 2 ** 20 - 1, 2 ** 20, 2 ** 21 - 5])
    expect(await isInWhole(body(before))).toBe(true)
})

test.each(['DOMAIN\\\\user-secret', 'ab\\\\\\\\\\\\cdefgh', '\\u0073\\u0073'])(
  'a run of backslashes does not make the search for %j slow',
  (secret) => {
    const search = createSecretSearch([secret])
    const body = (secret.slice(0, Math.max(1, secret.indexOf('\\'))) + '\\'.repeat(200)).repeat(1_000)
    const before = process.threadCpuUsage()
    expect([search.isIn(body), search.isIn(JSON.stringify(JSON.stringify({ secret })))]).toEqual([false, true])
    const { user, system } = process.threadCpuUsage(before)
    // It took seconds to minutes.
    expect((user + system) / 1_000).toBeLessThan(500)
  },
)
