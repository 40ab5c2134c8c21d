import { expect, test } from 'vitest'
import { isAllowedRedirect, matchesRedirect } from './redirect-uri.ts'

test.each([
  'https://client.example/callback',
  'https://client.example:8443/callback?x=1',
  'http://localhost:3334/oauth/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:5000/',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'vscode://vscode.github-authentication/did-authenticate',
  'vscode-insiders://x/callback',
  'windsurf://codeium/callback',
  'com.example.app:/oauth2redirect',
  'com.raycast:/oauth?package_name=mcp',
])('a client may be answered at %s', (uri) => {
  expect(isAllowedRedirect(uri)).toBe(true)
})

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://client.example/1',
  'about:blank',
  'filesystem:https://client.example/1',
  'view-source:https://client.example/',
  'intent://scan/#Intent;scheme=zxing;end',
  'ms-msdt:/id',
  'search-ms:query=x',
  'mailto:thief@example.com',
  'tel:+1900',
  'sms:+1900',
  'ftp://client.example/',
  'ws://client.example/',
  'wss://client.example/',
  'chrome://settings',
  'app://callback',
  'http://client.example/callback',
  'http://localhost.thief.example/',
  'http://127.0.0.1.thief.example/',
  'https://user:password@client.example/',
  'https://client.example/#part',
  '.example:/x',
  'example.:/x',
  '//client.example/',
  '/callback',
  '',
])('a client is never answered at %j', (uri) => {
  expect(isAllowedRedirect(uri)).toBe(false)
})

test('only the port of a program on this machine may differ', () => {
  expect(matchesRedirect('http://127.0.0.1/a', 'http://127.0.0.1:4000/a')).toBe(true)
  expect(matchesRedirect('http://127.0.0.1/a', 'http://127.0.0.1:4000/b')).toBe(false)
  expect(matchesRedirect('https://client.example/a', 'https://client.example:4000/a')).toBe(false)
  expect(matchesRedirect('http://client.example/a', 'http://client.example:4000/a')).toBe(false)
  expect(matchesRedirect('cursor://a/b', 'cursor://a/c')).toBe(false)
})
