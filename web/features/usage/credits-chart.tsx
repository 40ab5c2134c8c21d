import { scaleBand } from '@visx/scale'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { Chart, Line, linePoints } from '../../ui/chart/chart.tsx'
import type { Bucket } from './buckets.ts'
import { type Course, creditPoints } from './course.tsx'
import { usageText as text } from './text.ts'

interface CreditsChartProps {
  course: Course
  buckets: readonly Bucket[]
  /** Days after today. */
  ahead: number
}

/** Credits left by day, and where they go at the recent pace, below the requests of the same days. */
export default function CreditsChart({ course: { days, forecast }, buckets, ahead }: CreditsChartProps) {
  const points = creditPoints(days, buckets)
  const values = points.map(({ remaining }) => remaining)
  const last = values.at(-1) ?? 0
  return (
    <Chart
      label={text.creditsByDay}
      height={creditsHeight}
      count={points.length}
      x={(width) => scaleBand({ domain: [...Array(buckets.length + ahead).keys()], range: [0, width], ...gaps })}
      at={(point) => points[point]!.index}
      domain={[0, Math.max(4, ...values)]}
      ticks={() => []}
      formatTick={() => ''}
      spoken={(point) => spoken(points[point]!)}
      readout={(point) => <Readout day={points[point]!} />}
    >
      {(plot) => {
        const { x, y, middle, height } = plot
        const end = values.length - 1
        const perDay = forecast?.perDay ?? 0
        const drawn = Math.min(ahead, perDay > 0 ? last / perDay : 0)
        return (
          values.length > 0 && (
            <>
              <polygon
                points={`${middle(0)},${height} ${linePoints(values, plot)} ${middle(end)},${height}`}
                fill="var(--color-accent-soft)"
              />
              {ahead > 0 && (
                <line
                  x1={middle(end)}
                  y1={y(last)}
                  x2={middle(end) + drawn * x.step()}
                  y2={y(Math.max(0, last - drawn * perDay))}
                  stroke="var(--chart-success)"
                  strokeWidth={2}
                  strokeDasharray="3 4"
                />
              )}
              <Line plot={plot} values={values} />
            </>
          )
        )
      }}
    </Chart>
  )
}

export const creditsHeight = 128
/** The columns of both charts, so that a day has the same place in each. */
export const gaps = { paddingInner: 0.25, paddingOuter: 0.1 }

type Point = ReturnType<typeof creditPoints>[number]

const spoken = ({ date, remaining, spent }: Point) =>
  `${formatUtcDay(date)}: ${formatWhole(remaining)} credits left, ${formatWhole(spent)} spent`

const Readout = ({ day: { date, remaining, spent } }: { day: Point }) => (
  <>
    <p className="font-strong">{formatUtcDay(date)} UTC</p>
    <p className="text-muted">
      <span className="text-ink">{formatWhole(remaining)}</span> left
    </p>
    <p className="text-muted">
      <span className="text-ink">{formatWhole(spent)}</span> spent
    </p>
  </>
)
