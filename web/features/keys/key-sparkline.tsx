import type { KeyAnalytics } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'
import { toBuckets } from '../usage/buckets.ts'
import { keysText } from './text.ts'

const barWidth = 2
const step = 3
const height = 18

interface KeySparklineProps {
  /** The key's requests of 30 days. */
  analytics: KeyAnalytics | undefined
  /** The requests are not known yet: only their place is shown. */
  waiting: boolean
  now: Date
}

/** One bar per day for 30 days, failures on top, with the sums; days without requests keep a baseline. */
export function KeySparkline({ analytics, waiting, now }: KeySparklineProps) {
  const days = toBuckets(analytics ? [analytics] : [], [], '30d', now)
  const sum = (of: (day: (typeof days)[number]) => number) => days.reduce((total, day) => total + of(day), 0)
  const highest = Math.max(1, ...days.map(({ success, failed }) => success + failed))
  const [requests, failed] = [sum(({ success, failed }) => success + failed), sum((day) => day.failed)]
  const size = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * height))
  // One path a color: a list may have a thousand keys.
  const bars = (heightOf: (day: (typeof days)[number]) => number) =>
    days.map((day, index) => `M${index * step} ${height}v${-heightOf(day)}h${barWidth}V${height}z`).join('')
  return (
    <span className="flex flex-row-reverse items-start justify-end gap-3">
      <svg width={days.length * step} height={height} aria-hidden="true">
        <path d={bars(() => 1)} fill="var(--color-line-strong)" />
        {failed > 0 && <path d={bars((day) => size(day.success + day.failed))} fill="var(--chart-failed)" />}
        {requests > 0 && <path d={bars((day) => size(day.success))} fill="var(--chart-success)" />}
      </svg>
      <span className="max-md:sr-only md:min-w-[7ch] md:text-right">
        {waiting ? '\u00a0' : formatWhole(requests)}
        {failed > 0 && <span className="block text-small text-danger">{keysText.failed(formatWhole(failed))}</span>}
      </span>
    </span>
  )
}
