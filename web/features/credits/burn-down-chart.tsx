import { scaleLinear } from '@visx/scale'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { Chart, Cursor } from '../../ui/chart/chart.tsx'
import { type CreditDay, creditSteps } from './burn-down.ts'
import { creditsText as text } from './text.ts'

interface BurnDownChartProps {
  /** At least one. */
  days: CreditDay[]
  /** Remaining days of the period, as room on the right. */
  toCome: number
  /** The plan's credits, drawn as a line with a legend. */
  included?: number
  /** Credits spent per day of late: where the line goes. */
  perDay?: number
  label?: string
  /** Pixels, including the axes. */
  height?: number
}

/** Credits left by day as a falling line with a step where credits came in, to where the recent pace leads. */
export default function BurnDownChart({ days, toCome, included, perDay = 0, ...look }: BurnDownChartProps) {
  const last = days.length - 1
  const steps = creditSteps(days)
  const left = days[last]?.remaining ?? 0
  const ahead = perDay > 0 ? Math.min(toCome, left / perDay) : 0
  return (
    <>
      <Chart
        label={look.label ?? text.burnDown}
        height={look.height ?? 192}
        count={days.length}
        x={(width) => scaleLinear({ domain: [0, Math.max(1, days.length + toCome)], range: [0, width] })}
        // A day's value is that at its end.
        at={(index) => index + 1}
        domain={[0, Math.max(4, included ?? 0, ...steps.map(({ credits }) => credits))]}
        ticks={(most) => dayTicks(days.length + toCome, most)}
        formatTick={(index) => dayName(days, index)}
        spoken={(index) => spoken(days[index]!)}
        readout={(index) => <Readout day={days[index]!} />}
      >
        {(plot) => {
          const points = steps.map(({ at, credits }) => `${plot.x(at)},${plot.y(credits)}`).join(' ')
          return (
            <>
              <polygon
                points={`0,${plot.height} ${points} ${plot.middle(Math.max(0, last))},${plot.height}`}
                fill="var(--color-accent-soft)"
              />
              {included !== undefined && (
                <line x1={0} x2={plot.width} y1={plot.y(included)} y2={plot.y(included)} {...planStyle} />
              )}
              {ahead > 0 && (
                <line
                  x1={plot.middle(last)}
                  y1={plot.y(left)}
                  x2={Number(plot.x(days.length + ahead))}
                  y2={plot.y(left - ahead * perDay)}
                  {...paceStyle}
                />
              )}
              <polyline points={points} fill="none" {...lineStyle} />
              {steps.map(
                ({ at, credits, added }) =>
                  added !== undefined && <Added key={at} x={Number(plot.x(at))} y={plot.y(credits)} credits={added} />,
              )}
              <Cursor plot={plot} at={plot.active ?? last} value={days[plot.active ?? last]?.remaining ?? 0} />
            </>
          )
        }}
      </Chart>
      {included !== undefined && <Legend included={included} isAhead={ahead > 0} />}
    </>
  )
}

const lineStyle = { stroke: 'var(--chart-line)', strokeWidth: 2 }
const paceStyle = { ...lineStyle, strokeDasharray: '3 4' }
const planStyle = { stroke: 'var(--color-mark)', strokeDasharray: '4 4' }

/** About what a number of ten digits takes. */
const ADDED_WIDTH = 90

/** The number of credits next to their step: before it, where the line is lower, if there is room, else above the line. */
function Added({ x, y, credits }: { x: number; y: number; credits: number }) {
  const isLeft = x > ADDED_WIDTH
  return (
    <text
      x={isLeft ? x - 6 : x + 6}
      y={y}
      dy={isLeft ? 0 : -8}
      textAnchor={isLeft ? 'end' : 'start'}
      fill="var(--color-muted)"
      fontSize={12}
    >
      {text.added(credits)}
    </text>
  )
}

function Legend({ included, isAhead }: { included: number; isAhead: boolean }) {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-small text-muted">
      {[
        { label: text.left, style: lineStyle },
        ...(isAhead ? [{ label: text.ahead, style: paceStyle }] : []),
        { label: text.planGives(included), style: planStyle },
      ].map(({ label, style }) => (
        <li key={label} className="flex items-center gap-2">
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" {...style} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
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

/** The label of the nth day of the chart, including future days. */
function dayName(days: CreditDay[], nth: number): string {
  const first = days[0]
  return first ? formatUtcDay(new Date(Date.parse(first.date) + (nth - 1) * dayMs)) : ''
}

function dayTicks(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => 1 + index * step)
}
