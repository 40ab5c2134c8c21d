/**
 * `npm run proof`: runs two servers under load on one PostgreSQL while each fault occurs in turn, then writes the
 * counts into docs/correctness.md. `--calls N` (150,000 by default; `--long`: 1,000,000), `--callers N`,
 * `--calls-per-fault N`, `--buckets N`. Then runs the payment stories, which `--no-payments` skips, and `--imperfect-calls N` (10,000) calls of
 * imperfect upstreams, whose charges a model must foresee.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { imperfectMarkdown, proveImperfectUpstreams } from '../server/testing/proof/imperfect.ts'
import {
  agentPaymentsMarkdown,
  paymentsMarkdown,
  proveAgentPayments,
  provePayments,
} from '../server/testing/proof/payments.ts'
import { proofLines, proofMarkdown } from '../server/testing/proof/report.ts'
import { runProof } from '../server/testing/proof/run.ts'

const page = join(import.meta.dirname, '../docs/correctness.md')
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '150000' },
    long: { type: 'boolean', default: false },
    'no-payments': { type: 'boolean', default: false },
    callers: { type: 'string', default: '32' },
    buckets: { type: 'string', default: '1' },
    'imperfect-calls': { type: 'string', default: '10000' },
    'calls-per-fault': { type: 'string', default: '5000' },
    'disk-megabytes': { type: 'string', default: '2000' },
    'no-docs': { type: 'boolean', default: false },
  },
})

const result = await runProof({
  calls: values.long ? 1_000_000 : whole('calls'),
  callers: whole('callers'),
  buckets: whole('buckets'),
  callsPerFault: whole('calls-per-fault'),
  diskMegabytes: whole('disk-megabytes'),
  say: (line) => console.error(line),
})
for (const [name, value] of proofLines(result))
  console.log(`${name.replaceAll('*', '').padEnd(78)}${value.replaceAll('*', '')}`)
for (const difference of result.differences.slice(0, 50)) console.log(`DIFFERENCE: ${difference}`)
const payments = values['no-payments'] ? null : provePayments()
if (payments) console.log(`\n${paymentsMarkdown(payments)}`)
const agents = values['no-payments'] ? null : proveAgentPayments()
if (agents) console.log(`\n${agentPaymentsMarkdown(agents)}`)
const imperfect = proveImperfectUpstreams(whole('imperfect-calls'))
console.log(`\n${imperfectMarkdown(imperfect)}`)
for (const difference of imperfect.differences.slice(0, 50)) console.log(`DIFFERENCE: ${difference}`)
const failed = (payments?.stories.some((story) => story.failed > 0) ?? false) || (agents?.failed ?? 0) > 0
if (!values['no-docs'])
  writePage(
    [
      proofMarkdown(result),
      ...(payments ? [paymentsMarkdown(payments), ''] : []),
      ...(agents ? [agentPaymentsMarkdown(agents), ''] : []),
      imperfectMarkdown(imperfect),
      '',
    ].join('\n'),
  )
process.exitCode = result.differences.length + imperfect.differences.length > 0 || failed ? 1 : 0

function whole(
  name: 'calls' | 'callers' | 'imperfect-calls' | 'buckets' | 'calls-per-fault' | 'disk-megabytes',
): number {
  const value = Number(values[name])
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0.`)
  return value
}

function writePage(tables: string): void {
  const text = readFileSync(page, 'utf8')
  const marked = /(<!-- proof: begin -->\n).*(<!-- proof: end -->)/s
  if (!marked.test(text)) throw new Error(`${page} has lost its marks for the tables.`)
  writeFileSync(
    page,
    text.replace(marked, (_, begin: string, end: string) => `${begin}\n${tables}\n${end}`),
  )
}
