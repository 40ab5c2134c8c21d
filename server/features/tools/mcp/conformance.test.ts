import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { basicTools } from '../basic/basic-tools.ts'
import { startToolServer, type ToolServer } from '../testing/tool-server.ts'

const require = createRequire(import.meta.url)
const suite = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), 'dist/index.js')
const stable = suite('mcp-conformance-frozen')
const frozen = suite('@modelcontextprotocol/conformance')

/** These need a request from the server to the client, for which a server without sessions has no way. */
const needSessions = [
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'tools-call-elicitation',
  'tools-call-sampling',
]
const RUN_MS = 240_000

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-conformance-'))
})
afterAll(async () => {
  await rm(dir, { recursive: true, force: true })
})

interface Outcome {
  code: number | null
  passed: string[]
  failed: Record<string, string[]>
  output: string
}

/** Runs the suite as its users do, and reads what it wrote about each scenario. */
async function run(cli: string, args: string[]): Promise<Outcome> {
  const out = await mkdtemp(join(dir, 'run-'))
  const child = spawn(process.execPath, [cli, ...args, '--output-dir', out], { cwd: dir })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const code = await new Promise<number | null>((done) => child.on('close', done))
  const passed: string[] = []
  const failed: Record<string, string[]> = {}
  for (const path of await readdir(out, { recursive: true })) {
    if (!path.endsWith('checks.json')) continue
    const scenario = dirname(path)
      .replace(/^(server|client)-/, '')
      .replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks: { id: string; status: string; errorMessage?: string }[] = JSON.parse(
      await readFile(join(out, path), 'utf8'),
    )
    const bad = checks
      .filter((check) => check.status === 'FAILURE')
      .map((check) => `${check.id}: ${check.errorMessage}`)
    if (bad.length === 0) passed.push(scenario)
    else failed[scenario] = bad
  }
  return { code, passed: passed.sort(), failed, output }
}

/** What the frozen set of a revision requires of servers, as the suite itself ships it. */
async function required(revision: string): Promise<string[]> {
  const text = await readFile(join(dirname(frozen), `../requirements/${revision}.yaml`), 'utf8')
  const list = text.slice(text.indexOf('\nserver:'), text.indexOf('\nclient:'))
  return [...list.matchAll(/^ {2}- (.+)$/gm)].map((match) => match[1]!).sort()
}

describe.each([
  ['both lanes', 'on'],
  ['the SDK lane alone', 'sdk'],
])('the conformance suite against %s', (_name, profile) => {
  let server: ToolServer
  let url: string
  beforeAll(async () => {
    server = await startToolServer(basicTools, { MCP_TEST_PROFILE: profile })
    url = `${server.url}/mcp?apikey=${(await server.key()).value}`
  })
  afterAll(() => server?.close())

  test('2026-07-28: 37 of 37', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2026-07-28')
    const { code, passed, failed, output } = await run(frozen, ['server', '--url', url, '--requirements', '2026-07-28'])
    expect(scenarios).toHaveLength(37)
    expect(
      scenarios.filter((name) => !passed.includes(name)),
      JSON.stringify(failed, null, 1),
    ).toEqual([])
    expect(code, output).toBe(0)
  })

  // The suite's own baseline file is not used: it counts the warning that a server has no sessions as a failure.
  test('2025-11-25: 26 of 30, all but the four that need a session', { timeout: RUN_MS }, async () => {
    const scenarios = await required('2025-11-25')
    const { passed, failed } = await run(frozen, ['server', '--url', url, '--requirements', '2025-11-25'])
    expect(scenarios).toHaveLength(30)
    expect(
      scenarios.filter((name) => !passed.includes(name)),
      JSON.stringify(failed, null, 1),
    ).toEqual(needSessions)
    expect(scenarios.filter((name) => passed.includes(name))).toHaveLength(26)
  })

  test('the default set of 0.1.16: 26 of 30, all but the same four', { timeout: RUN_MS }, async () => {
    const { passed, failed } = await run(stable, ['server', '--url', url])
    expect(Object.keys(failed).sort(), JSON.stringify(failed, null, 1)).toEqual(needSessions)
    expect(passed).toHaveLength(26)
  })
})
