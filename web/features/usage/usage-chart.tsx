import { scaleBand } from '@visx/scale'
import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import type { Bucket } from './buckets.ts'
import { kinds, LegendEntry, sumsOf } from './legend.tsx'
import { usageText as text } from './text.ts'

interface UsageChartProps {
  buckets: Bucket[]
  hourly: boolean
  /** A class that sets its height. */
  height?: string
}

/** Stacked columns of successes, failures and refusals. */
export default function UsageChart({ buckets, hourly, height = 'h-48' }: UsageChartProps) {
  const count = buckets.length
  const name = (index: number) => (hourly ? formatUtcHour : formatUtcDay)(buckets[index]!.start)
  const spoken = (index: number) =>
    `${name(index)}: ${kinds.map(({ key, spoken }) => `${formatWhole(buckets[index]![key])} ${spoken}`).join(', ')}`
  return (
    <Chart
      label={`${text.title} by ${hourly ? 'hour' : 'day'}`}
      height={height}
      count={count}
      x={(width) =>
        scaleBand({ domain: [...Array(count).keys()], range: [0, width], paddingInner: 0.25, paddingOuter: 0.1 })
      }
      domain={[0, Math.max(4, ...buckets.map(totalOf))]}
      ticks={(most) => tickIndexes(count, most)}
      formatTick={name}
      spoken={spoken}
      readout={(index) => <Readout bucket={buckets[index]!} name={name(index)} />}
    >
      {({ x, y, height, middle, active }) => (
        <>
          {active !== null && (
            <rect x={middle(active) - x.step() / 2} width={x.step()} height={height} fill="var(--color-hover)" />
          )}
          {buckets.map((bucket, index) => {
            let below = 0
            return (
              <g key={bucket.start.getTime()}>
                {kinds.map(({ key, color }) => {
                  const [from, to] = [below, below + bucket[key]]
                  below = to
                  return (
                    to > from && (
                      <rect
                        key={key}
                        x={x(index)}
                        width={x.bandwidth()}
                        y={y(to)}
                        // A line of the card between two colors, which a shop's accent may be close to.
                        height={Math.max(1, y(from) - y(to) - (from > 0 ? 1 : 0))}
                        rx={1.5}
                        fill={color}
                      />
                    )
                  )
                })}
              </g>
            )
          })}
        </>
      )}
    </Chart>
  )
}

const totalOf = (bucket: Bucket) => bucket.success + bucket.failed + bucket.refused

/** The exact numbers of one column. */
function Readout({ bucket, name }: { bucket: Bucket; name: string }) {
  return (
    <>
      <p className="font-strong">{name} UTC</p>
      {totalOf(bucket) === 0 && <p className="text-muted">{text.noneHere}</p>}
      {sumsOf([bucket]).map(({ key, ...entry }) => (
        <LegendEntry key={key} {...entry} wide />
      ))}
    </>
  )
}

/** Evenly spaced indexes, including the last one. */
function tickIndexes(count: number, most: number): number[] {
  const step = Math.ceil(count / most)
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % step === 0)
}
