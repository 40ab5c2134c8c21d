import { scaleLinear } from '@visx/scale'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { Chart, Line, linePoints } from '../../ui/chart/chart.tsx'
import type { CreditDay } from './burn-down.ts'
import { creditsText as text } from './text.ts'

interface BurnDownChartProps {
  /** At least one. */
  days: CreditDay[]
  /** Remaining days of the period, as room on the right. */
  toCome: number
  /** The plan's credits, drawn as a line. */
  included: number
}

/** Credits left by day as a falling line. */
export default function BurnDownChart({ days, toCome, included }: BurnDownChartProps) {
  const last = days.length - 1
  const values = days.map(({ remaining }) => remaining)
  return (
    <Chart
      label={text.burnDown}
      height={192}
      count={days.length}
      x={(width) => scaleLinear({ domain: [0, Math.max(1, last + toCome)], range: [0, width] })}
      domain={[0, Math.max(4, included, ...values)]}
      ticks={(most) => dayTicks(last + toCome, most)}
      formatTick={(index) => dayName(days, index)}
      spoken={(index) => spoken(days[index]!)}
      readout={(index) => <Readout day={days[index]!} />}
    >
      {(plot) => (
        <>
          <line
            x1={0}
            x2={plot.width}
            y1={plot.y(included)}
            y2={plot.y(included)}
            stroke="var(--color-line-strong)"
            strokeDasharray="4 4"
          />
          <polygon
            points={`0,${plot.height} ${linePoints(values, plot)} ${plot.middle(Math.max(0, last))},${plot.height}`}
            fill="var(--color-accent-soft)"
          />
          <Line plot={plot} values={values} />
        </>
      )}
    </Chart>
  )
}

const Readout = ({ day }: { day: CreditDay }) => (
  <>
    <p className="font-strong">{formatUtcDay(day.date)} UTC</p>
    <p className="text-muted">
      <span className="text-ink">{formatWhole(day.remaining)}</span> left
    </p>
    <p className="text-muted">
      <span className="text-ink">{formatWhole(day.spent)}</span> spent
    </p>
  </>
)

const spoken = (day: CreditDay) =>
  `${formatUtcDay(day.date)}: ${formatWhole(day.remaining)} credits left, ${formatWhole(day.spent)} spent`

const dayMs = 86_400_000

/** The label of a day of the chart, including future days. */
function dayName(days: CreditDay[], index: number): string {
  const first = days[0]
  return first ? formatUtcDay(new Date(Date.parse(first.date) + index * dayMs)) : ''
}

function dayTicks(last: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(last / most))
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
}
