import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { startSession } from '../../testing/session.ts'
import { frozen, required, runConformance } from '../tools/testing/conformance-suite.ts'

const RUN_MS = 240_000
const command = `${process.execPath} ${join(import.meta.dirname, 'testing/conformance-client.ts')}`
/**
 * What the connector does not do: sign in to a foreign server by OAuth (all of `auth/`; such a server needs headers from
 * the operator), and answer a tool that asks back while it runs.
 */
const signsIn = (scenario: string) => scenario.startsWith('auth/')
const asksBack = 'sep-2322-client-request-state'

let server: TestServer
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  server = await startTestServer({ env: { PLAYGROUND_URLS: 'on', PLAYGROUND_PRIVATE_NETWORKS: 'on' } })
  const { token } = await startSession(server)
  env = { FINMETER_URL: server.url, FINMETER_TOKEN: token }
})
afterAll(() => server?.close())

test("the playground's connector, 2026-07-28: 6 of the 7 that need no sign-in, of 32 in all", {
  timeout: RUN_MS,
}, async () => {
  const scenarios = await required('2026-07-28', 'client')
  const { passed, failed } = await runConformance(
    frozen,
    ['client', '--command', command, '--requirements', '2026-07-28'],
    env,
  )
  expect(scenarios).toHaveLength(32)
  expect(scenarios.filter(signsIn)).toHaveLength(25)
  expect(
    scenarios.filter((name) => passed.includes(name)),
    JSON.stringify(failed, null, 1),
  ).toEqual(scenarios.filter((name) => !signsIn(name) && name !== asksBack))
})

test.each(['initialize', 'tools_call', 'sse-retry'])(
  "the playground's connector, 2025-11-25: %s",
  { timeout: RUN_MS },
  async (scenario) => {
    expect(await required('2025-11-25', 'client')).toContain(scenario)
    const { passed, failed, output } = await runConformance(
      frozen,
      ['client', '--command', command, '--scenario', scenario, '--spec-version', '2025-11-25'],
      env,
    )
    expect(passed, `${JSON.stringify(failed, null, 1)}\n${output}`).toEqual([scenario])
  },
)
