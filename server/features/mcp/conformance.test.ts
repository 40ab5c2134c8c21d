import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basicTools } from '../tools/basic/basic-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { frozen, required, runConformance, stable } from './testing/conformance-suite.ts'

/** These need a request from the server to the client, which a server without sessions cannot send. */
const needSessions = [
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'tools-call-elicitation',
  'tools-call-sampling',
]
const RUN_MS = 240_000

describe.each([
  ['both paths', 'on'],
  ['the SDK path alone', 'sdk'],
])('the conformance suite against %s', (_name, profile) => {
  let server: ToolServer
  let url: string
  beforeAll(async () => {
    server = await startToolServer(basicTools, { MCP_TEST_PROFILE: profile })
    url = `${server.url}/mcp?apikey=${(await server.key()).value}`
  })
  afterAll(() => server?.close())

  test('2026-07-28: 37 of 37', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2026-07-28', 'server')
    const { code, passed, failed, output } = await runConformance(frozen, [
      'server',
      '--url',
      url,
      '--requirements',
      '2026-07-28',
    ])
    expect(scenarios).toHaveLength(37)
    expect(
      scenarios.filter((name) => !passed.includes(name)),
      JSON.stringify(failed, null, 1),
    ).toEqual([])
    expect(code, output).toBe(0)
  })

  // The suite's own baseline file is not used, because it counts the warning about missing sessions as a failure.
  test('2025-11-25: 26 of 30, all but the four that need a session', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2025-11-25', 'server')
    const { passed, failed } = await runConformance(frozen, ['server', '--url', url, '--requirements', '2025-11-25'])
    expect(scenarios).toHaveLength(30)
    expect(
      scenarios.filter((name) => !passed.includes(name)),
      JSON.stringify(failed, null, 1),
    ).toEqual(needSessions)
    expect(scenarios.filter((name) => passed.includes(name))).toHaveLength(26)
  })

  test('the default set of 0.1.16: 26 of 30, all but the same four', { timeout: RUN_MS }, async () => {
    const { passed, failed } = await runConformance(stable, ['server', '--url', url])
    expect(Object.keys(failed).sort(), JSON.stringify(failed, null, 1)).toEqual(needSessions)
    expect(passed).toHaveLength(26)
  })
})
