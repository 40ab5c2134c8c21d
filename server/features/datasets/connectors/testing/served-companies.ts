import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { sec } from '../../../../../datasets/connectors/sec/connector.ts'
import { assemble } from '../../../market-data/market-data.ts'
import { runMarketTool } from '../../../market-data/testing/demo-market.ts'
import { hostLimits } from '../host-limits.ts'
import { connectorBench } from './connector-bench.ts'

/** The answers of EDGAR about made-up companies, by CIK, as the connector publishes them. `missing` are asked for, too. */
export async function servedCompanies(answers: Record<string, string>, missing: readonly string[] = []) {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-companies-'))
  await mkdir(join(directory, 'edgar/companyfacts'), { recursive: true })
  for (const [cik, text] of Object.entries(answers))
    await writeFile(join(directory, `edgar/companyfacts/CIK00000000${cik}.json`), text)
  const bench = await connectorBench(sec, directory)
  afterAll(async () => {
    await bench.close()
    await rm(directory, { recursive: true, force: true })
  })
  // So many requests need the real limit: the sandbox, like EDGAR, refuses more than ten a second.
  const wire = { ...bench.options.wire, limits: hostLimits(sec.manifest.limits, Date.now, pause) }
  const report = await bench.run({ selection: [...Object.keys(answers), ...missing], wire })
  expect(report).toMatchObject({ outcome: 'published' })
  const parts = await Promise.all(['sec-statements', 'sec-companies'].map((id) => bench.served(id)))
  const market = assemble(parts.filter((part) => part !== null))
  const ask = (cik: number, fields: string[], more: Record<string, unknown> = {}) =>
    runMarketTool(market, 'get_financials', {
      symbol: `CIK00000000${cik}`,
      fields,
      orient: 'periods',
      limit: 20,
      ...more,
    })
  return { market, ask, reasons: report.reasons }
}
