import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '#server/db/embedded.ts'
import { defineTool } from '#server/features/tools/define-tool.ts'
import { startToolServer, type ToolServer } from '#server/features/tools/testing/tool-server.ts'
import { runAdmin } from '#server/testing/run-admin.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { startMetrics } from './start-metrics.ts'

const CALLS = 5
/** So many that the shipped rule forgives some of them a stall of this machine. */
const PROMPT_CALLS = 100
const alerts = join(import.meta.dirname, '../../deploy/prometheus/alerts.yaml')
const dir = temporaryFolder()

/** A tool for this test; its delay is the fault that the operator must find. */
const toolOf = (name: string, delayMs: number) =>
  defineTool({
    name,
    title: name,
    description: 'Answers.',
    kind: 'value',
    input: z.strictObject({}),
    output: z.strictObject({ ok: z.boolean() }),
    credits: { kind: 'fixed', credits: 2 },
    rest: { method: 'GET', path: `/v1/test/${name}` },
    run: async () => {
      await sleep(delayMs)
      return { ok: true }
    },
  })

let server: ToolServer
let key: string
let scraped: string
let slowReceipt: string
beforeAll(async () => {
  const port = await freePort()
  server = await startToolServer([toolOf('prompt', 0), toolOf('delayed', 500)], { METRICS_PORT: String(port) })
  const stop = await startMetrics(server.deps, port)
  key = (await server.key({ credits: 1_000 })).value
  for (let i = 0; i < PROMPT_CALLS; i++) await call('prompt')
  for (let i = 0; i < CALLS; i++) slowReceipt = (await call('delayed')).headers.get('x-receipt-id')!
  scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await stop()
})
afterAll(async () => {
  await server?.close()
})

const call = (tool: string) => fetch(`${server.url}/v1/test/${tool}`, { headers: { 'x-api-key': key } })

test('one command finds from a receipt that the tool took 500 ms, and that other calls did not', async () => {
  const slow = await runAdmin(server.databaseUrl, ['call', slowReceipt])
  expect([slow.code, slow.err]).toEqual([0, ''])
  expect(slow.out).toMatch(/^Tool +delayed$/m)
  expect(Number(/^Duration +(\d+) ms in the tool$/m.exec(slow.out)?.[1])).toBeGreaterThanOrEqual(499)
  const prompt = await runAdmin(server.databaseUrl, ['call', (await call('prompt')).headers.get('x-receipt-id')!])
  const p50 = /^Compared .*calls of prompt in that hour: p50 (\d+) ms/m.exec(prompt.out)?.[1]
  expect(Number(p50)).toBeLessThan(250)
})

test.skipIf(spawnSync('promtool', ['--version']).status !== 0)(
  'the shipped rules, fed with what /metrics showed, warn of the slow tool and of no other',
  () => {
    const warning = {
      exp_labels: { severity: 'warn', instance: 'a', tool: 'delayed' },
      exp_annotations: {
        summary: 'delayed is slow on a: 1 in 20 calls runs longer than 250 ms',
        action:
          'Take the receipt of a "slow call" line in the log, and run npm run admin -- call <receipt>. Raise the limit for tools that are slow by nature.',
      },
    }
    expect(promtool([warning])).toEqual({ status: 0, text: expect.stringContaining('SUCCESS') })
    expect(promtool([]).status).toBe(1)
  },
)

/** Whether exactly `expected` fires after ten minutes in which each scrape sees as many new calls as this one saw. */
function promtool(expected: object[]): { status: number | null; text: string } {
  const series = scraped
    .split('\n')
    .filter((line) => line.startsWith('finmeter_tool_duration_seconds'))
    .map((line) => {
      const [, name, labels, value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line)!
      return { series: `${name}{${labels},instance="a"}`, values: `0+${value}x60` }
    })
  const rule = { eval_time: '10m', alertname: 'FinmeterSlowTool', exp_alerts: expected }
  const tests = [{ interval: '15s', input_series: series, alert_rule_test: [rule] }]
  const file = join(dir, 'scraped.yaml')
  writeFileSync(file, JSON.stringify({ rule_files: [alerts], evaluation_interval: '15s', tests }))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}` }
}
