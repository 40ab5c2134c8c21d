import { expect, test } from 'vitest'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'

const env = { PUBLIC_URL: 'https://api.example.com', SANDBOX: 'on' }
const server = await closeAfterTests(startTestServer({ env }))

/** Those of browsers' rules, sorted. */
const rules = async (path: string) => {
  const { headers } = await server.app.inject({ url: path, headers: { host: 'api.example.com' } })
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) =>
        /^(content-security|cross-origin|origin-agent|referrer|strict|x-(content-type|dns|down|frame|perm|xss))/.test(
          name,
        ),
      )
      .sort(),
  )
}

/** docs/security.md, "Headers". */
const everywhere = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
}
const pagesBesides = {
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

test.each(['/v1/bars/AAPL', '/api/me', '/mcp', '/openapi.json', '/healthz', '/v1/none'])(
  '%s answers data with the short policy and without rules for pages',
  async (path) => {
    expect(await rules(path)).toEqual(everywhere)
  },
)

test.each(['/', '/pricing', '/docs', '/sandbox/mail'])(
  '%s is a page, with all rules and a policy of its own',
  async (path) => {
    const { 'content-security-policy': policy, ...others } = await rules(path)
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
    expect(policy).not.toBe(everywhere['content-security-policy'])
    const { 'content-security-policy': _, ...same } = everywhere
    expect(others).toEqual({ ...same, ...pagesBesides })
  },
)
