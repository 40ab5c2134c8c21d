import { scaleBand } from '@visx/scale'
import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import type { Bucket } from './buckets.ts'
import { type Course, CourseText, daysAhead } from './course.tsx'
import CreditsChart, { gaps } from './credits-chart.tsx'
import { kinds, LegendEntry, sumsOf } from './legend.tsx'
import { usageText as text } from './text.ts'

interface UsageChartProps {
  buckets: Bucket[]
  hourly: boolean
  /** Drawn below, with the same days. */
  course: Course | null | undefined
}

const dayMs = 86_400_000

/** Stacked columns of successes, failures and refusals. */
export default function UsageChart({ buckets, hourly, course }: UsageChartProps) {
  const ahead = daysAhead(course, buckets)
  const count = buckets.length + ahead
  const start = (index: number) =>
    buckets[index]?.start ?? new Date(buckets.at(-1)!.start.getTime() + (index - buckets.length + 1) * dayMs)
  const name = (index: number) => (hourly ? formatUtcHour(start(index)) : formatUtcDay(start(index)))
  const spoken = (index: number) =>
    `${name(index)}: ${kinds.map(({ key, spoken }) => `${formatWhole(buckets[index]![key])} ${spoken}`).join(', ')}`
  return (
    <>
      <Chart
        label={`${text.title} by ${hourly ? 'hour' : 'day'}`}
        height={course ? 176 : 224}
        count={buckets.length}
        x={(width) => scaleBand({ domain: [...Array(count).keys()], range: [0, width], ...gaps })}
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
      {course && (
        <>
          <CourseText course={course} />
          <CreditsChart course={course} buckets={buckets} ahead={ahead} />
        </>
      )}
    </>
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
