import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { startSession } from '../../testing/session.ts'
import { frozen, required, runConformance } from '../mcp/testing/conformance-suite.ts'

const RUN_MS = 240_000
const command = `${process.execPath} ${join(import.meta.dirname, 'testing/conformance-client.ts')}`
const server = await closeAfterTests(
  startTestServer({ env: { PLAYGROUND_URLS: 'on', PLAYGROUND_PRIVATE_NETWORKS: 'on' } }),
)
const { token } = await startSession(server)
const env = { FINMETER_URL: server.url, FINMETER_TOKEN: token }

/** A client document needs an https address, which this server does not have: the connector registers instead. */
const ONLY_WARNED = 'auth/basic-cimd'

const scenarios = {
  '2026-07-28': await required('2026-07-28', 'client'),
  '2025-11-25': ['initialize', 'tools_call', 'sse-retry'],
}

test('the frozen set of 2026-07-28 asks 32 scenarios of clients, 25 of them about signing in', () => {
  expect(scenarios['2026-07-28']).toHaveLength(32)
  expect(scenarios['2026-07-28'].filter((name) => name.startsWith('auth/'))).toHaveLength(25)
})

// A few at a time: the suite itself would start all of them at once.
describe.concurrent.each(Object.entries(scenarios))("the playground's connector, %s", (revision, names) => {
  test.each(names)('%s', { timeout: RUN_MS }, async (scenario) => {
    const { passed, warned, failed, output } = await runConformance(
      frozen,
      ['client', '--command', command, '--scenario', scenario, '--spec-version', revision],
      env,
    )
    const expected = { passed: [scenario], warned: [] }
    expect({ passed, warned }, `${JSON.stringify(failed, null, 1)}\n${output}`).toEqual(
      scenario === ONLY_WARNED ? { passed: [], warned: [scenario] } : expected,
    )
  })
})
