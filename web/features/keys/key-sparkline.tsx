import type { KeyAnalytics } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'
import { toBuckets } from '../usage/buckets.ts'
import { keysText } from './text.ts'

const barWidth = 2
const step = 3
const height = 18

/** One bar per day for 30 days, scaled to the maximum; days without requests keep a baseline. */
export function KeySparkline({ analytics, now }: { analytics: KeyAnalytics | undefined; now: Date }) {
  const days = toBuckets(analytics ? [analytics] : [], '30d', now).map(({ success, failed }) => success + failed)
  const highest = Math.max(1, ...days)
  return (
    <>
      <svg width={days.length * step} height={height} aria-hidden="true" className="inline-block">
        {days.map((requests, day) => {
          const size = requests === 0 ? 1 : Math.max(2, (requests / highest) * height)
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
              key={day}
              x={day * step}
              y={height - size}
              width={barWidth}
              height={size}
              fill={requests === 0 ? 'var(--color-line-strong)' : 'var(--chart-success)'}
            />
          )
        })}
      </svg>
      <span className="sr-only">{keysText.lastDays(formatWhole(days.reduce((sum, one) => sum + one, 0)))}</span>
    </>
  )
}
