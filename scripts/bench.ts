/** `npm run bench`: compares the metered call with its peers, verifies that nothing was lost, and prints the table. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Noise, noiseProblems } from '../bench/noise.ts'
import { readOptions, usage } from '../bench/options.ts'
import { asMarkdown, asSentence, asText } from '../bench/report.ts'
import type { Results } from '../bench/results.ts'
import { runBench } from '../bench/run.ts'
import { installPackage } from './install-package.ts'

const benchDir = join(import.meta.dirname, '../bench')
const performance = join(import.meta.dirname, '../docs/performance.md')
const meteredCall = join(import.meta.dirname, '../docs/metered-call.md')

const readme = join(import.meta.dirname, '../README.md')
const pageText = join(import.meta.dirname, '../web/features/sell/text.ts')

const words = process.argv.slice(2)
const say = (line: string) => console.error(line)
if (words.includes('--help')) {
  console.log(usage)
  process.exit()
}
if (words.includes('--data') && words.includes('--bars')) {
  const { runStoredBars } = await import('../bench/data/stored-bars.ts')
  const bars = Number(words[words.indexOf('--bars') + 1])
  if (!Number.isSafeInteger(bars) || bars < 1_000_000) throw new Error('--bars must be a whole number from 1000000.')
  const table = await runStoredBars(bars, say)
  finish('stored bars bench', table)
}
if (words.includes('--data')) {
  installPackage(benchDir)
  const { dataMarkdown, runDataBench } = await import('../bench/data/run-data-bench.ts')
  const lines = await runDataBench(words.includes('--quick') ? 0.3 : 3, say)
  finish('data bench', dataMarkdown(lines))
}
if (words.includes('--growth')) {
  const { runGrowth } = await import('../bench/growth.ts')
  const { drawGrowth } = await import('../bench/growth/draw-growth.ts')
  const { readLargest } = await import('../bench/growth/sizes.ts')
  const { growthMarkdown } = await import('../bench/growth/word-growth.ts')
  const { wrkVersion } = await import('../bench/load.ts')
  const largest = readLargest(words)
  if (wrkVersion() === undefined) installPackage(benchDir)
  const growth = await runGrowth(largest, say)
  process.exitCode = growth.problems.length > 0 ? 1 : 0
  const isWritten = mayBeWritten(growth.noise)
  if (isWritten) writeFileSync(join(import.meta.dirname, '../docs/growth.svg'), drawGrowth(growth))
  finish('growth', growthMarkdown(growth), performance, isWritten)
}
if (words.includes('--usage')) {
  const { runUsageBench, usageMarkdown } = await import('../bench/usage.ts')
  const rows = Number(words[words.indexOf('--rows') + 1] ?? Number.NaN)
  const wanted = words.includes('--rows') ? rows : 2_000_000
  if (!Number.isSafeInteger(wanted) || wanted < 100) throw new Error('--rows must be a whole number from 100.')
  const table = usageMarkdown(wanted, await runUsageBench(wanted, say))
  finish('usage bench', table)
}
if (words.includes('--operator') && words.includes('--calls')) {
  const { operatorCallsMarkdown, runOperatorCalls } = await import('../bench/operator-calls.ts')
  const calls = Number(words[words.indexOf('--calls') + 1])
  if (!Number.isSafeInteger(calls) || calls < 10_000) throw new Error('--calls must be a whole number from 10000.')
  const result = await runOperatorCalls(calls, say)
  for (const problem of result.problems) say(problem)
  process.exitCode = result.problems.length > 0 ? 1 : 0
  finish('operator calls', operatorCallsMarkdown(result))
}
if (words.includes('--operator')) {
  const { operatorMarkdown, runOperatorBench } = await import('../bench/operator.ts')
  const customers = words.includes('--customers') ? Number(words[words.indexOf('--customers') + 1]) : 1_000_000
  if (!Number.isSafeInteger(customers) || customers < 1_000)
    throw new Error('--customers must be a whole number from 1000.')
  finish('operator bench', operatorMarkdown(customers, await runOperatorBench(customers, say)))
}
if (words.includes('--revocation')) {
  const { runRevocation } = await import('../bench/revocation.ts')
  finish('revocation', await runRevocation())
}
if (words.includes('--payments-junk')) {
  const { runPaymentsJunk } = await import('../bench/payments-junk.ts')
  finish('payments bench', await runPaymentsJunk(say))
}
if (words.includes('--pressure')) {
  const { runPressure } = await import('../bench/pressure.ts')
  finish('pressure bench', await runPressure(say))
}
if (words.includes('--proxy')) {
  const { runBehindProxy } = await import('../bench/behind-proxy.ts')
  finish('proxy bench', await runBehindProxy(say))
}
if (words.includes('--upstream')) {
  const { runUpstream } = await import('../bench/upstream/run-upstream.ts')
  const { upstreamMarkdown } = await import('../bench/upstream/upstream-results.ts')
  const { rounds, sliceSeconds, accounts } = readOptions(words.filter((word) => word !== '--upstream'))
  const measured = await runUpstream({ rounds, sliceSeconds, accounts, streams: 2_000 }, say)
  const table = upstreamMarkdown(measured)
  process.exitCode = measured.problems.length > 0 ? 1 : 0
  finish('upstream bench', table)
}
if (words.includes('--holds')) {
  const { runHolds } = await import('../bench/holds.ts')
  finish('holds bench', await runHolds(say))
}
if (words.includes('--instances')) {
  const { runInstances } = await import('../bench/instances.ts')
  finish('instances bench', await runInstances(say))
}
if (words.includes('--citus')) {
  const clusterUrl = process.env.CITUS_URL
  if (!clusterUrl)
    throw new Error('--citus needs CITUS_URL: the coordinator of a Citus cluster with two workers, as a superuser.')
  const { runCitus } = await import('../bench/citus.ts')
  const table = await runCitus(clusterUrl, say)
  finish('citus bench', table, join(import.meta.dirname, '../docs/scaling.md'))
}
if (words.includes('--endurance')) {
  const { runEndurance } = await import('../bench/endurance.ts')
  const minutes = words.includes('--minutes') ? Number(words[words.indexOf('--minutes') + 1]) : 30
  if (!Number.isInteger(minutes) || minutes < 1) throw new Error('--minutes must be a whole number from 1.')
  const table = await runEndurance(minutes, say)
  finish('endurance bench', table)
}
if (words.includes('--profile')) {
  const { profileMarkdown, runProfile } = await import('../bench/profile.ts')
  const { wrkVersion } = await import('../bench/load.ts')
  // Autocannon, which replaces a missing wrk, is one of the peers' packages.
  if (wrkVersion() === undefined) installPackage(benchDir)
  const table = profileMarkdown(await runProfile(10))
  finish('profile', table, meteredCall)
}
if (words.includes('--against')) {
  const { runTrees } = await import('../bench/trees.ts')
  const against = words[words.indexOf('--against') + 1]
  if (!against) throw new Error('--against needs the folder of another checkout.')
  const number = (name: string, otherwise: number) =>
    words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise
  const sizes = {
    rounds: number('--rounds', 9),
    connections: number('--connections', 64),
    accounts: number('--accounts', 1_000),
  }
  const [bars, nginx] = [words.includes('--bars'), words.includes('--nginx')]
  console.log(await runTrees({ against, ...sizes, bars, nginx }, say))
  process.exit()
}
let results: Results
try {
  const options = readOptions(words)
  installPackage(benchDir)
  results = await runBench(options, say)
  console.log(`\n${asText(results)}`)
  if (options.jsonFile) writeFileSync(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`)
  if (mayBeWritten(results.noise)) {
    replaceBetween(performance, 'bench', asMarkdown(results))
    replaceBetween(readme, 'bench', asSentence(results))
    showOnPage(results)
  }
  // A slow machine is not a failure; an answer without its row is.
  process.exitCode = results.proof.problems.length > 0 ? 1 : 0
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Whether `--docs` may write this run. Says why not. */
function mayBeWritten(noise: Noise): boolean {
  const problems = noiseProblems(noise)
  for (const problem of problems) say(`noisy: ${problem}`)
  if (words.includes('--docs') && problems.length > 0) say('A noisy run is not written into the documentation.')
  return words.includes('--docs') && problems.length === 0
}

/** Prints what was measured instead of the comparison with the peers, and writes it between the marks of a page if asked. */
function finish(mark: string, table: string, page = performance, isWritten = words.includes('--docs')): never {
  console.log(table)
  if (isWritten) replaceBetween(page, mark, table)
  process.exit()
}

/** Replaces the text between the two marks of this name on the page. */
function replaceBetween(page: string, name: string, table: string): void {
  const text = readFileSync(page, 'utf8')
  const marked = new RegExp(`(<!-- ${name}: begin -->\\n).*(<!-- ${name}: end -->)`, 's')
  if (!marked.test(text)) throw new Error(`${page} has lost its marks for the table.`)
  writeFileSync(
    page,
    text.replace(marked, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`),
  )
}

/** The rates on the page for those who install, in its order. */
function showOnPage({ lines }: Results): void {
  const shown = (['rest-bare', 'rest-finmeter', 'rest-one-transaction', 'rest-better-auth'] as const).map(
    (wanted) => lines.find(({ id }) => id === wanted)!.perSecond,
  )
  const text = readFileSync(pageText, 'utf8').replaceAll(/(?<=perSecond: )[\d_]+/g, () =>
    Math.round(shown.shift()!).toLocaleString('en-US').replaceAll(',', '_'),
  )
  if (shown.length > 0) throw new Error(`${pageText} has lost its rates.`)
  writeFileSync(pageText, text)
}
