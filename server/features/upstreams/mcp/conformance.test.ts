import { afterAll, beforeAll, expect, test } from 'vitest'
import { testProfile } from '../../mcp/test-profile/profile.ts'
import { frozen, required, runConformance } from '../../mcp/testing/conformance-suite.ts'
import { keyedAddress } from '../../mcp/testing/keyed-address.ts'
import { startToolServer, type ToolServer } from '../../tools/testing/tool-server.ts'
import { type Loopback, startLoopback } from '../testing/loopback.ts'
import { type McpSeller, startMcpSeller } from '../testing/mcp-seller.ts'

const question = 'the server asks its user or a model, and questions are not passed on'
const logging = 'our endpoint has no log messages'
const subscription = 'our endpoint has no subscriptions to a resource'
/** The scenarios that cannot pass through, each with the reason. All others must. */
const notMirrored = {
  '2026-07-28': {
    'input-required-result-basic-elicitation': question,
    'input-required-result-basic-list-roots': question,
    'input-required-result-basic-sampling': question,
    'input-required-result-capability-check': question,
    'input-required-result-missing-input-response': question,
    'input-required-result-multi-round': question,
    'input-required-result-multiple-input-requests': question,
    'input-required-result-non-tool-request': question,
    'input-required-result-request-state': question,
    'input-required-result-result-type': question,
    'input-required-result-tampered-state': question,
    'input-required-result-validate-input': question,
    'server-stateless': 'its last two checks are of a tool that needs a client with a model; the others pass',
  },
  '2025-11-25': {
    'elicitation-sep1034-defaults': question,
    'elicitation-sep1330-enums': question,
    'logging-set-level': logging,
    'resources-subscribe': subscription,
    'resources-unsubscribe': subscription,
    'server-sse-multiple-streams': 'it checks nothing without a session, here or directly',
    'tools-call-elicitation': question,
    'tools-call-sampling': question,
    'tools-call-with-logging': logging,
  },
}
/** These read by a fixed address, which our endpoint prefixes. */
const ofResources = ['resources-read-text', 'resources-read-binary', 'resources-templates-read']
const RUN_MS = 240_000

let fixtures: ToolServer
let seller: McpSeller
let renamed: Loopback
let url: string

// The upstream is our own fixtures for the suite, which pass all of it themselves: the package has no server of its own.
beforeAll(async () => {
  fixtures = await startToolServer([], { MCP_TEST_PROFILE: 'on' })
  process.env.CONF_KEY = (await fixtures.key()).value
  seller = await startMcpSeller()
  // By the names that the suite calls.
  const sameName = (all: readonly { name: string }[]) => Object.fromEntries(all.map(({ name }) => [name, { name }]))
  const { tools, prompts } = testProfile(seller.server.deps.secrets)
  await seller.add('conf', `${fixtures.url}/mcp`, {
    private_hosts: ['localhost'],
    auth: { header: 'x-api-key', secret: 'env:CONF_KEY' },
    defaults: { credits: 1, mcp: true },
    operations: sameName(tools.map(({ definition }) => definition)),
    prompts: { credits: 1, named: sameName(prompts) },
    resources: { credits: 1 },
  })
  // Between the suite's addresses and those of our endpoint.
  renamed = await startLoopback(async (_request, response) => {
    const { method, headers, body } = renamed.seen.at(-1)!
    const { host: _host, 'content-length': _length, ...rest } = headers as Record<string, string>
    const sent: Record<string, string> = { ...rest, 'x-api-key': seller.key }
    if (sent['mcp-name']) sent['mcp-name'] = sent['mcp-name'].replace(/^test:/, 'conf.test:')
    const asked = { method, headers: sent, ...(body && { body: body.replaceAll('"test://', '"conf.test://') }) }
    const answer = await fetch(`${seller.server.url}/mcp`, asked)
    const text = (await answer.text()).replaceAll('"conf.test://', '"test://')
    const type = answer.headers.get('content-type')
    response.writeHead(answer.status, type ? { 'content-type': type } : {}).end(text)
  })
  url = `${seller.server.url}/mcp?apikey=${seller.key}`
})
afterAll(async () => {
  delete process.env.CONF_KEY
  renamed?.close()
  await seller?.server.close()
  await fixtures?.close()
})

test.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)(
  '%s: what is mirrored passes through, and what is not is known',
  { timeout: RUN_MS },
  async (revision, count) => {
    const scenarios = await required(revision, 'server')
    expect(scenarios).toHaveLength(count)
    const run = await runConformance(frozen, ['server', '--url', url, '--requirements', revision])
    const passed = new Set(run.passed)
    for (const scenario of ofResources) {
      const args = ['server', '--url', `${renamed.url}/mcp`, '--scenario', scenario, '--spec-version', revision]
      for (const name of (await runConformance(frozen, args)).passed) passed.add(name)
    }
    expect(passed).toContain('json-schema-2020-12')
    expect(
      scenarios.filter((name) => !passed.has(name)),
      JSON.stringify(run.failed, null, 1),
    ).toEqual(Object.keys(notMirrored[revision]).sort())
    if (revision === '2026-07-28')
      expect(run.failed['server-stateless']!.map((one) => one.split(':')[0])).toEqual([
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
      ])
    const rows = await seller.usage()
    for (const name of ['test_simple_text', 'test_tool_with_progress', 'test_simple_prompt', 'conf_resources_read'])
      expect(rows).toContainEqual({ tool: name, credits: 1, success: true })
    // A call that the suite left is charged when it ends, which may be between two reads.
    await expect
      .poll(async () => {
        const charged = (await seller.usage()).reduce((sum, { credits }) => sum + credits, 0)
        return charged + (await seller.balance())
      })
      .toBe(1_000)
  },
)

test.each(['http-header-validation', 'http-custom-header-server-validation'])(
  '%s, behind the key in the URL',
  { timeout: RUN_MS },
  async (scenario) => {
    const address = await keyedAddress(seller.server.url, seller.key)
    const args = ['server', '--url', address.url, '--scenario', scenario, '--spec-version', '2026-07-28']
    const { passed, failed, output } = await runConformance(frozen, args)
    address.close()
    expect(passed, `${JSON.stringify(failed, null, 1)}\n${output}`).toEqual([scenario])
  },
)
