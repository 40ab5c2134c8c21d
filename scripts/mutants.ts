/**
 * Tries the faults of scripts/mutants/faults/ in a copy of the working tree, and runs only the tests that each names. A
 * fault that no test notices is a survivor: it is printed, and the command fails. It fails too when the list does not fit
 * the sources any more, or when a named test fails without a fault.
 *
 * `--only=TEXT` tries the faults whose id matches (a regular expression); `--no-browser` leaves out those that need a
 * build and a browser; `--resume` those killed since the last start without it; `--jobs=N` tries N at once (2);
 * `--check` only compares the list with the sources.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Checkout, makeCheckout } from './mutants/checkout.ts'
import { type Fault, inBrowser } from './mutants/fault.ts'
import { problemsOf } from './mutants/problems.ts'
import { runTests } from './mutants/run-tests.ts'

const root = dirname(import.meta.dirname)
const killedFile = join(root, 'test-results', 'mutants.json')
const listDir = join(import.meta.dirname, 'mutants', 'faults')
const faults = readdirSync(listDir).flatMap((file) => JSON.parse(readFileSync(join(listDir, file), 'utf8')) as Fault[])

const problems = problemsOf(faults)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else if (process.argv.includes('--check')) console.log(`${faults.length} faults, each of which can still be made`)
else process.exitCode = await tryFaults()

function option(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
}

/** Returns the exit code. */
async function tryFaults(): Promise<number> {
  const only = new RegExp(option('only') ?? '')
  const killed = new Set(process.argv.includes('--resume') ? readKilled() : [])
  const queue = faults
    .filter((fault) => only.test(fault.id) && !killed.has(fault.id))
    .filter((fault) => !(process.argv.includes('--no-browser') && inBrowser(fault)))
    // Those that build come last: the others read the pages as they are built now.
    .toSorted((a, b) => Number(inBrowser(a)) - Number(inBrowser(b)))
  const count = queue.length
  const checkouts = Array.from({ length: Number(option('jobs') ?? 2) }, () => makeCheckout(root))
  const survivors: Fault[] = []
  let untried = 0
  if (!(await passWithoutFault(checkouts[0]!, queue))) return 1
  await Promise.all(
    checkouts.map(async (checkout) => {
      for (let fault = queue.shift(); fault; fault = queue.shift()) {
        const outcome = await tryFault(checkout, fault)
        if (outcome === 'killed') killed.add(fault.id)
        else if (outcome === 'SURVIVED') survivors.push(fault)
        else untried += 1
        mkdirSync(dirname(killedFile), { recursive: true })
        writeFileSync(killedFile, JSON.stringify([...killed]))
      }
    }),
  )
  for (const { id, breaks, file, tests } of survivors)
    console.log(`Survived: ${id} (${breaks}), ${file}; tests: ${tests.join(', ')}`)
  const noticed = count - survivors.length - untried
  console.log(`${count} faults, ${noticed} killed, ${survivors.length} survived, ${untried} could not be tried`)
  return noticed < count ? 1 : 0
}

/** A test that fails anyway would kill every fault. */
async function passWithoutFault(checkout: Checkout, chosen: Fault[]): Promise<boolean> {
  const groups = [chosen.filter((fault) => !inBrowser(fault)), chosen.filter(inBrowser)]
  let all = true
  for (const tests of groups.map((group) => [...new Set(group.flatMap((fault) => fault.tests))])) {
    if (tests.length === 0) continue
    const { failures, passed, broken } = await runTests(checkout.dir, tests, { all: true })
    for (const failure of broken ? [broken] : failures) console.log(`Fails without a fault: ${failure}`)
    if (broken || failures.length > 0) all = false
    else console.log(`Without a fault, ${passed} tests pass`)
  }
  return all
}

async function tryFault(checkout: Checkout, fault: Fault): Promise<'killed' | 'SURVIVED' | 'untried'> {
  const started = performance.now()
  const { failures, broken } = await checkout.withFault(fault, () => runTests(checkout.dir, fault.tests))
  const outcome = broken ? 'untried' : failures.length > 0 ? 'killed' : 'SURVIVED'
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const why = broken ?? failures[0]
  console.log(`${outcome.padEnd(8)} ${fault.id} (${seconds} s)${why ? `: ${why}` : ''}`)
  return outcome
}

function readKilled(): string[] {
  try {
    return JSON.parse(readFileSync(killedFile, 'utf8')) as string[]
  } catch {
    return []
  }
}
