import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImperfectProof } from './imperfect/prove.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs server/testing/proof/imperfect/imperfect.test.ts with so many calls. Throws an Error when it does not get to its end. */
export function proveImperfectUpstreams(calls: number): ImperfectProof {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-imperfect-'))
  const report = join(dir, 'report.json')
  try {
    const words = ['run', 'server/testing/proof/imperfect/imperfect.test.ts']
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], {
      cwd: root,
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, ALL_TESTS: 'yes', IMPERFECT_CALLS: String(calls), IMPERFECT_REPORT: report },
    })
    return JSON.parse(readFileSync(report, 'utf8')) as ImperfectProof
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const whole = (value: number): string => value.toLocaleString('en-US')

/** The table of docs/correctness.md. */
export const imperfectMarkdown = (proof: ImperfectProof): string =>
  [
    '| Calls of imperfect upstreams | Value |',
    '| --- | ---: |',
    `| calls | ${whole(proof.calls)} |`,
    `| of these, over MCP | ${whole(proof.overMcp)} |`,
    `| of these, streams | ${whole(proof.streams)} |`,
    `| of these, to an MCP server | ${whole(proof.ofMcpServer)} |`,
    `| delivered, and charged as the model says | ${whole(proof.delivered)} |`,
    `| failed, and free | ${whole(proof.failed)} |`,
    `| credits | ${whole(proof.credits)} |`,
    `| **differences** | **${whole(proof.differences.length)}** |`,
  ].join('\n')
