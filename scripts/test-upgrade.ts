/**
 * `npm run test:upgrade`: upgrades from the previous release to this one on one database under load, then compares what
 * clients saw with the rows. `--from <commit>`: from another release. `--next`: from this one to a made-up next one, whose
 * migration adds to the busiest tables. `--calls-per-step N` (3,000), `--callers N` (16).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { checkOut, makeNext, previousRelease } from './upgrade/check-out.ts'
import { runUpgrade } from './upgrade/run-upgrade.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    next: { type: 'boolean', default: false },
    callers: { type: 'string', default: '16' },
    'calls-per-step': { type: 'string', default: '3000' },
  },
})
const say = (line: string) => console.error(line)
const here = { folder: dirname(import.meta.dirname), version: packageJson.version }
const dir = mkdtempSync(join(tmpdir(), 'finmeter-previous-'))
try {
  const other = join(dir, 'release')
  const [old, next] = values.next
    ? [here, { folder: other, version: makeNext(other) }]
    : [{ folder: other, version: checkOut(values.from ?? previousRelease(), other, say) }, here]
  const { steps, differences, rows, credits, unheard } = await runUpgrade(old, next, {
    callers: Number(values.callers),
    callsPerStep: Number(values['calls-per-step']),
    say,
  })
  console.table(
    Object.fromEntries(steps.map(({ name, counts, failed }) => [name, { ...counts, failed: failed ? 'yes' : '' }])),
  )
  for (const { name, failed } of steps) if (failed) console.log(`${name}: FAILED: ${failed}`)
  console.log(
    `${rows} usage rows, ${credits} credits, ${unheard} charges without a received answer, ${differences.length} differences`,
  )
  for (const difference of differences.slice(0, 50)) console.log(`DIFFERENCE: ${difference}`)
  process.exitCode = differences.length > 0 || steps.some(({ failed }) => failed) ? 1 : 0
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
