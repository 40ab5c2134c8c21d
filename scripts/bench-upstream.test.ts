import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runUpstream } from '../bench/upstream/run-upstream.ts'
import { upstreamMarkdown } from '../bench/upstream/upstream-results.ts'

const isInstalled = (command: string) => spawnSync(command, ['-v']).error === undefined
const isWhole = isInstalled('nginx') && isInstalled('wrk')

test.skipIf(!isWhole)(
  'an API is sold in every way of the comparison, and no charge is missing',
  async () => {
    const options = { rounds: 1, sliceSeconds: 0.3, accounts: 20, streams: 30 }
    const measured = await runUpstream(options, () => {})
    expect(measured.problems).toEqual([])
    expect([...measured.closed.keys()]).toEqual(['bare', 'nginx', 'node', 'door', 'finmeter', 'quotes', 'pairs'])
    for (const [id, slices] of measured.closed) {
      expect([id, slices.length, slices[0]!.slice.refused, slices[0]!.slice.broken]).toEqual([id, 1, 0, 0])
      expect([id, slices[0]!.slice.answered]).not.toEqual([id, 0])
    }
    expect(measured.steady.get('finmeter')![0]).toMatchObject({ answered: 300, refused: 0, broken: 0 })
    expect(measured.memory).toMatchObject({ streams: 60, problems: [] })
    expect(measured.recorded).toMatchObject({ rows: measured.answered, charged: measured.answered, failedRows: 0 })
    const table = upstreamMarkdown(measured)
    expect(table).toContain('| Node pass-through (undici) |')
    expect(table).toContain(' 60 open streams: ')
    expect(table).toMatch(
      /- Proof: [\d,]+ responses = [\d,]+ usage rows = [\d,]+ credits; no hold is left; the invariants hold$/,
    )
  },
  300_000,
)
