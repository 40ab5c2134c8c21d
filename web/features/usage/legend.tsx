import { clsx } from 'clsx'
import { formatWhole } from '../../lib/format.ts'
import type { Bucket } from './buckets.ts'
import { usageText as text } from './text.ts'

/** From the bottom of a column to its top. */
export const kinds = [
  { key: 'success', label: text.succeeded, spoken: 'succeeded', color: 'var(--chart-success)' },
  { key: 'failed', label: text.failedCalls, spoken: 'failed', color: 'var(--chart-failed)' },
  { key: 'refused', label: text.refused, spoken: 'refused', color: 'var(--chart-refused)' },
] as const

/** The kinds that occur, with their sums. */
export const sumsOf = (buckets: readonly Bucket[]) =>
  kinds
    .map((kind) => ({ ...kind, sum: buckets.reduce((sum, bucket) => sum + bucket[kind.key], 0) }))
    .filter(({ sum }) => sum > 0)

/** The colors of a chart, with the sums of what they stand for. */
export const Legend = ({ buckets }: { buckets: readonly Bucket[] }) => (
  <span className="flex flex-wrap gap-x-5 figures">
    {sumsOf(buckets).map(({ key, ...entry }) => (
      <LegendEntry key={key} {...entry} />
    ))}
  </span>
)

interface LegendEntryProps {
  color: string
  label: string
  sum: number
  /** The number is at the right edge. */
  wide?: boolean
}

export const LegendEntry = ({ color, label, sum, wide = false }: LegendEntryProps) => (
  <span className="flex items-center gap-2 text-muted">
    <span style={{ background: color }} className="swatch size-2 shrink-0 rounded-[2px]" />
    {label}
    <span className={clsx('text-ink', wide && 'ml-auto')}>{formatWhole(sum)}</span>
  </span>
)
