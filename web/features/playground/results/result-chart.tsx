import { scaleUtc } from '@visx/scale'
import type { ReactNode } from 'react'
import { Chart, Line, type Plot } from '../../../ui/chart/chart.tsx'
import { formatNumber } from './format-table.ts'
import { dayOf } from './headline.ts'
import { lineLook } from './line-looks.ts'
import type { Bar, Series } from './result-table.ts'

const heightPx = 200
const month = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', timeZone: 'UTC' })
const dayAndMonth = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })
const iso = (at: Date) => at.toISOString().slice(0, 10)
const shortSpanMs = 150 * 86_400_000

type TimeScale = ReturnType<typeof scaleUtc<number>>

interface TimeChartProps {
  label: string
  name: string
  dates: readonly Date[]
  domain: [number, number]
  /** A point as text. */
  spoken: (index: number) => string
  children: (plot: Plot<TimeScale>) => ReactNode
}

/** A chart over dates, with the selected point's values above it. */
function TimeChart({ label, name, dates, domain, spoken, children }: TimeChartProps) {
  const [first, last] = [dates[0]!, dates.at(-1)!]
  const format = last.getTime() - first.getTime() < shortSpanMs ? dayAndMonth : month
  return (
    <figure className="mt-2">
      <Chart<TimeScale, Date>
        label={label}
        height={heightPx}
        left={52}
        count={dates.length}
        x={(width) => scaleUtc<number>({ domain: [first, last], range: [0, width] })}
        at={(index) => dates[index]!}
        domain={domain}
        formatValue={figure.format}
        ticks={(most, x) => x.ticks(most)}
        formatTick={format.format}
        spoken={spoken}
        caption={(index) => (
          <figcaption className="mb-1.5 flex flex-wrap justify-between gap-x-3 text-small figures text-muted">
            <span>{name}, UTC</span>
            <span aria-live="polite">{spoken(index)}</span>
          </figcaption>
        )}
      >
        {children}
      </Chart>
    </figure>
  )
}

/** One line over time. */
export function LineChart({ series: { name, points } }: { series: Series }) {
  const values = points.map(({ value }) => value)
  return (
    <TimeChart
      label={`${name} over time`}
      name={name}
      dates={points.map(({ at }) => at)}
      domain={[Math.min(...values), Math.max(...values)]}
      spoken={(index) => `${iso(points[index]!.at)}: ${figure.format(values[index]!)}`}
    >
      {(plot) => <Line plot={plot} values={values} width={1.5} />}
    </TimeChart>
  )
}

/** Price bars: hollow when the price rose, filled when it fell, so that no color is needed. */
export function CandleChart({ bars }: { bars: readonly Bar[] }) {
  const spoken = (index: number) => {
    const { at, open, high, low, close } = bars[index]!
    const [o, h, l, c] = [open, high, low, close].map((value) => figure.format(value))
    return `${iso(at)}: open ${o}, high ${h}, low ${l}, close ${c}`
  }
  return (
    <TimeChart
      label="price bars over time"
      name="open, high, low, close"
      dates={bars.map(({ at }) => at)}
      domain={[Math.min(...bars.map(({ low }) => low)), Math.max(...bars.map(({ high }) => high))]}
      spoken={spoken}
    >
      {({ y, middle, width, active }) => {
        const half = Math.max(1, Math.min(6, (0.35 * width) / bars.length))
        return bars.map(({ at, open, high, low, close }, index) => {
          const rose = close >= open
          const color = rose ? 'var(--color-success)' : 'var(--color-danger)'
          const x = middle(index)
          const [upper, lower] = [y(Math.max(open, close)), y(Math.min(open, close))]
          return (
            <g key={at.getTime()} stroke={color} opacity={active === null || active === index ? 1 : 0.45}>
              <line x1={x} x2={x} y1={y(high)} y2={upper} />
              <line x1={x} x2={x} y1={lower} y2={y(low)} />
              <rect
                x={x - half}
                width={2 * half}
                y={upper}
                height={Math.max(1, lower - upper)}
                fill={rose ? 'var(--color-surface)' : color}
              />
            </g>
          )
        })
      }}
    </TimeChart>
  )
}

interface Line100 {
  symbol: string
  points: readonly { at: Date; value: number }[]
}

/** Several lines that start at 100. */
export function ComparisonChart({ lines }: { lines: readonly Line100[] }) {
  const dates = lines[0]!.points.map(({ at }) => at)
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value))
  const spoken = (index: number) =>
    `${dayOf(iso(dates[index]!))}: ${lines.map(({ symbol, points }) => `${symbol} ${formatNumber(points[index]!.value, 1)}`).join(', ')}`
  return (
    <TimeChart
      label={`${lines.map(({ symbol }) => symbol).join(' and ')} compared over time`}
      name="Start = 100"
      dates={dates}
      domain={[Math.min(...values), Math.max(...values)]}
      spoken={spoken}
    >
      {({ y, middle, height, active }) => (
        <>
          {active !== null && (
            <line x1={middle(active)} x2={middle(active)} y1={0} y2={height} stroke="var(--color-line-strong)" />
          )}
          {lines.map(({ symbol, points }, place) => {
            const { color, dash } = lineLook(place)
            return (
              <polyline
                key={symbol}
                points={points.map(({ value }, index) => `${middle(index)},${y(value)}`).join(' ')}
                fill="none"
                stroke={color}
                strokeWidth={1.5}
                strokeDasharray={dash}
              />
            )
          })}
        </>
      )}
    </TimeChart>
  )
}
