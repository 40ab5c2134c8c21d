import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { frozen, required, runConformance, stable } from './testing/conformance-suite.ts'
import { keyedAddress } from './testing/keyed-address.ts'

/** These need a request from the server to the client, which a server without sessions cannot send. */
const needSessions = [
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'tools-call-elicitation',
  'tools-call-sampling',
]
/** Without a session, the suite warns and checks nothing; it does not count that as a failure. */
const warnedWithoutSessions = ['server-sse-multiple-streams']
const RUN_MS = 240_000

describe.each([
  ['both paths', 'on'],
  ['the SDK path alone', 'sdk'],
])('the conformance suite against %s', (_name, profile) => {
  let server: ToolServer
  let key: string
  let url: string
  beforeAll(async () => {
    server = await startToolServer(basicTools, { MCP_TEST_PROFILE: profile })
    key = (await server.key()).value
    url = `${server.url}/mcp?apikey=${key}`
  })
  afterAll(() => server?.close())

  test('2026-07-28: 37 of 37, and JSON Schema 2020-12', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2026-07-28', 'server')
    const run = await runConformance(frozen, ['server', '--url', url, '--requirements', '2026-07-28'])
    expect(scenarios).toHaveLength(37)
    expect(
      [...scenarios, 'json-schema-2020-12'].filter((name) => !run.passed.includes(name)),
      JSON.stringify(run.failed, null, 1),
    ).toEqual([])
    expect(run.code, run.output).toBe(0)
  })

  // The suite's own baseline file is not used, because it counts the warning about missing sessions as a failure.
  test('2025-11-25: 25 of 30 pass, one warns, four need a session', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2025-11-25', 'server')
    const run = await runConformance(frozen, ['server', '--url', url, '--requirements', '2025-11-25'])
    const among = (names: string[]) => scenarios.filter((name) => names.includes(name))
    expect(scenarios).toHaveLength(30)
    expect(among(Object.keys(run.failed)), JSON.stringify(run.failed, null, 1)).toEqual(needSessions)
    expect(among(run.warned)).toEqual(warnedWithoutSessions)
    expect(among(run.passed)).toHaveLength(25)
    expect(run.passed).toContain('json-schema-2020-12')
  })

  test('the default set of 0.1.16: the same 25, one and four', { timeout: RUN_MS }, async () => {
    const { passed, warned, failed } = await runConformance(stable, ['server', '--url', url])
    expect(Object.keys(failed).sort(), JSON.stringify(failed, null, 1)).toEqual(needSessions)
    expect(warned).toEqual(warnedWithoutSessions)
    expect(passed).toHaveLength(25)
  })

  test.each(['http-header-validation', 'http-custom-header-server-validation'])(
    '%s, behind the key in the URL',
    { timeout: RUN_MS },
    async (scenario) => {
      const address = await keyedAddress(server.url, key)
      const args = ['server', '--url', address.url, '--scenario', scenario, '--spec-version', '2026-07-28']
      const { passed, failed, output } = await runConformance(frozen, args)
      address.close()
      expect(passed, `${JSON.stringify(failed, null, 1)}\n${output}`).toEqual([scenario])
    },
  )
})
