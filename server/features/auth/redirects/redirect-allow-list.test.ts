import { describe, expect, it } from 'vitest'
import { globMatcher } from './glob.ts'
import { createRedirectAllowList, looseGlobs } from './redirect-allow-list.ts'

const site = 'https://finmeter.example'
const list = (globs = '') => createRedirectAllowList(site, globs)

describe('the redirect allow-list', () => {
  it.each([
    ['http://localhost:8000/*', 'http://localhost:8000/path', true],
    ['http://localhost:8000/*', 'http://localhost:8000/path?param=1', true],
    ['http://localhost:8000/*', 'http://localhost:8000', false],
    ['http://localhost:8000/*', 'http://localhost:8000/path/to/page', false],
    ['http://localhost:8000/*', 'http://localhost:8001/path', false],
    ['http://localhost:8000/**', 'http://localhost:8000/path/to/page', true],
    ['http://localhost:8000/*', 'http://123.123.123.123?localhost:8000/path', false],
    ['http://*.localhost:8000/*', 'http://a.localhost:8000/path', true],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', false],
    ['https://*.example.com', 'https://evil.com/.example.com', false],
    ['https://*.example.com/**', 'https://a.example.com/x/y?z=1', true],
    ['https://app.example.com/cb', 'https://app.example.com/cb#fragment', true],
    ['https://app.example.com/cb', 'https://app.example.com/cb?x=1', false],
    ['https://app.example.com/cb?', 'https://app.example.com/cb', false],
    ['https://app.example.com/cb\\?*', 'https://app.example.com/cb?sb_flow_id=1', true],
    ['https://{a,b}.example.com/', 'https://b.example.com/', true],
    ['https://{a,b}.example.com/', 'https://c.example.com/', false],
    ['https://v[0-9].example.com/', 'https://v7.example.com/', true],
    ['https://v[!0-9].example.com/', 'https://v7.example.com/', false],
    ['myapp://callback', 'myapp://callback', true],
    ['com.example.app:/**', 'com.example.app:/oauth', true],
    ['', 'myapp://callback', false],
    ['**', 'http://123456789/', false],
    ['**', 'http://93.184.216.34/', false],
    ['**', 'http://[2001:db8::1]/', false],
    ['**', 'https://user:secret@app.example.com/', false],
    ['**', 'https://app.example.com\\@evil.com/', false],
    ['**', 'https://app.example.com/\u0000', false],
    ['**', 'https://app.example.com/ x', false],
    ['**', 'javascript:alert(1)', false],
    ['**', 'data:text/html,x', false],
  ])('%j on %j: %j', (globs, candidate, allowed) => {
    expect(list(globs).allows(candidate)).toBe(allowed)
  })

  it.each([
    ['https://finmeter.example/anywhere?x=1', true],
    ['https://FINMETER.example/', true],
    ['http://finmeter.example/', false],
    ['https://finmeter.example:8443/', false],
    ['https://finmeter.example.evil.com/', false],
    ['https://evil.com/?https://finmeter.example/', false],
    ['https://finmeter.example@evil.com/', false],
    ['//finmeter.example/', false],
    ['/relative', false],
    ['someone@example.com', false],
    ['http://127.0.0.1:4567/any/path', true],
    ['http://127.9.9.9/', true],
    ['http://[::1]:80/', true],
    ['myscheme://127.0.0.1/', true],
    ['javascript://127.0.0.1/%0aalert(1)', false],
    ['http://localhost:3000/', false],
    ['http://10.0.0.1/', false],
  ])('of the site itself and of loopback: %s is %j', (candidate, allowed) => {
    expect(list().allows(candidate)).toBe(allowed)
  })

  it('ignores the port only where the site itself is on this machine', () => {
    const local = createRedirectAllowList('http://localhost:3000', undefined)
    expect(local.allows('http://localhost:5173/auth/callback')).toBe(true)
    expect(local.allows('https://localhost:3000/')).toBe(false)
  })

  it('chooses the first allowed candidate, else the site', () => {
    expect(list().choose('https://evil.com', null, 'https://finmeter.example/x')).toBe('https://finmeter.example/x')
    expect(list().choose('https://evil.com', undefined)).toBe(site)
  })

  it('knows globs that let everybody in', () => {
    expect(
      looseGlobs(
        'https://**, https://*/cb, **, https://a**.com/x, https://*.example.com/**, https://app.example.com/**',
      ),
    ).toEqual(['https://**', 'https://*/cb', '**', 'https://a**.com/x'])
  })

  it('refuses a malformed glob at start', () => {
    expect(() => globMatcher('https://[a.example.com')).toThrow('unclosed [')
    expect(() => globMatcher('https://{a,b.example.com')).toThrow('unclosed {')
  })
})
