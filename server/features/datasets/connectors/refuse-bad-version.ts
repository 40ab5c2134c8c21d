import type { ConnectorManifest, DatasetOf } from './connector.ts'
import type { Summarized, Summary } from './summarize.ts'

const LEAST_ROWS = 0.95
const LEAST_ROWS_OF_KEY = 0.8
/** Between two values of one series; percent and fraction differ by 100. */
const GREATEST_JUMP = 50
const GREATEST_REVISION = 2
const EXAMPLES = 5

/**
 * Why a new version must not replace the earlier one; empty if it may. A source that answers nonsense answers it as
 * confidently as data, so a version is compared with the last good one, not only with its format.
 */
export function reasonsToRefuse(
  { id }: DatasetOf,
  { summary, found, wrongGolden }: Summarized,
  earlier: Summary | null,
  golden: ConnectorManifest['golden'],
): string[] {
  const reasons = wrongGolden.map((text) => `golden_moved: ${text}`)
  if (summary.rows === 0) reasons.push('no_rows: the source has no rows')
  if (!earlier) return reasons.map((reason) => `${id}: ${reason}`)
  if (summary.rows < earlier.rows * LEAST_ROWS) reasons.push(`shrunk: ${summary.rows} rows instead of ${earlier.rows}`)
  for (const at of earlier.golden)
    if (!summary.golden.includes(at)) reasons.push(`golden_missing: ${JSON.stringify(golden[at]?.match)}`)
  const byKey: string[] = []
  for (const [name, before] of Object.entries(earlier.keys)) {
    const now = summary.keys[name]
    if (!now) byKey.push(`missing: ${name} was there before`)
    else {
      if (now.rows < before.rows * LEAST_ROWS_OF_KEY)
        byKey.push(`shrunk: ${name} has ${now.rows} rows instead of ${before.rows}`)
      if (now.last < before.last) byKey.push(`went_back: ${name} ends ${now.last}, it ended ${before.last} before`)
      if (now.last > before.last && factor(now.lastValue, before.lastValue) > GREATEST_JUMP)
        byKey.push(`unit_changed: ${name} went from ${before.lastValue} to ${now.lastValue}`)
    }
    const samples = Object.entries(before.samples)
    const gone = samples.filter(([sample]) => !found.has(sample)).length
    if (gone > samples.length / 2) byKey.push(`history_gone: ${name} lacks ${gone} of ${samples.length} earlier values`)
    const moved = samples.filter(([sample, value]) => factor(found.get(sample) ?? null, value) > GREATEST_REVISION)
    if (moved.length > samples.length / 2)
      byKey.push(`unit_changed: ${moved.length} of ${samples.length} earlier values of ${name} are different by far`)
  }
  reasons.push(...byKey.slice(0, EXAMPLES))
  if (byKey.length > EXAMPLES) reasons.push(`and ${byKey.length - EXAMPLES} more`)
  return reasons.map((reason) => `${id}: ${reason}`)
}

/** How many times greater the greater of two values is; 1 where that says nothing. */
function factor(a: number | null, b: number | null): number {
  if (a === null || b === null || a === 0 || b === 0) return 1
  if (Math.sign(a) !== Math.sign(b)) return 1
  const ratio = Math.abs(a / b)
  return Math.max(ratio, 1 / ratio)
}
