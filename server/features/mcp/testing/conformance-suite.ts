import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mcpCommand } from '../../../testing/mcp-command.ts'

/** The newest stable suite, and the one that contains the frozen sets of the revisions. */
export const stable = mcpCommand('mcp-conformance-frozen/dist/index.js')
export const frozen = mcpCommand('@modelcontextprotocol/conformance/dist/index.js')

export interface Outcome {
  code: number | null
  /** Scenarios in which at least one check of their own succeeded, and none failed or warned. */
  passed: string[]
  /** Scenarios that the suite does not count as failed, although nothing was proved: only warnings and remarks. */
  warned: string[]
  /** The failed checks of each scenario that has any. */
  failed: Record<string, string[]>
  output: string
}

interface Check {
  id: string
  status: string
  errorMessage?: string
}

/**
 * The suite gives up on a stream after 500 to 1,000 ms. On a machine with more to do than it can, a response may take longer: what
 * the suite checks stays the same, and it waits eight times as long.
 */
const PATIENCE = `data:text/javascript,${encodeURIComponent(
  'const { setTimeout: wait } = globalThis; globalThis.setTimeout = (act, ms, ...rest) => wait(act, [500, 800, 1000].includes(ms) ? 8 * ms : ms, ...rest)',
)}`

/** Runs the suite as its users do, and reads its results per scenario. */
export async function runConformance(cli: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const out = await mkdtemp(join(tmpdir(), 'finmeter-conformance-'))
  try {
    const child = spawn(process.execPath, ['--import', PATIENCE, cli, ...args, '--output-dir', out], {
      cwd: out,
      env: { ...process.env, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    const code = await new Promise<number | null>((done) => child.on('close', done))
    return { code, output, ...(await readChecks(out)) }
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

/** Made for every answer of every scenario, so it says nothing about the scenario itself. */
const WIRE_CHECK = 'wire-schema-valid'

async function readChecks(out: string): Promise<Pick<Outcome, 'passed' | 'warned' | 'failed'>> {
  const passed: string[] = []
  const warned: string[] = []
  const failed: Record<string, string[]> = {}
  for (const path of await readdir(out, { recursive: true })) {
    if (!path.endsWith('checks.json')) continue
    const scenario = dirname(path)
      .replace(/^(server|client)-/, '')
      .replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks: Check[] = JSON.parse(await readFile(join(out, path), 'utf8'))
    const bad = checks
      .filter((check) => check.status === 'FAILURE')
      .map((check) => `${check.id}: ${check.errorMessage}`)
    const own = checks.filter((check) => check.id !== WIRE_CHECK).map((check) => check.status)
    if (bad.length > 0) failed[scenario] = bad
    else if (own.includes('SUCCESS') && !own.includes('WARNING')) passed.push(scenario)
    else warned.push(scenario)
  }
  return { passed: passed.sort(), warned: warned.sort(), failed }
}

/** What a revision's frozen set requires of servers or clients, as the suite ships it. */
export async function required(revision: string, leg: 'server' | 'client'): Promise<string[]> {
  const text = await readFile(join(dirname(frozen), `../requirements/${revision}.yaml`), 'utf8')
  const list = text.split(/\n(?=\w)/).find((part) => part.startsWith(`${leg}:`)) ?? ''
  return [...list.matchAll(/^ {2}- (.+)$/gm)].map((match) => match[1]!).sort()
}
