import { AxisBottom, AxisLeft } from '@visx/axis'
import { Group } from '@visx/group'
import { scaleLinear } from '@visx/scale'
import { type PointerEvent, useState } from 'react'
import { formatUtcDay, formatWhole } from '../../lib/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import type { CreditDay } from './burn-down.ts'
import { billingText as text } from './text.ts'

const height = 192
const margin = { top: 8, right: 12, bottom: 24, left: 44 }
const axisText = { fill: 'var(--color-muted)', fontSize: 12, fontFamily: 'inherit' } as const
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

interface BurnDownChartProps {
  days: CreditDay[]
  /** Days of the period that are still to come: room on the right. */
  toCome: number
  /** Credits of the plan, drawn as a line. */
  included: number
}

/** Credits left by day as a falling line. The read-out follows the nearest day: by pointer, or by the arrow keys. */
export default function BurnDownChart({ days, toCome, included }: BurnDownChartProps) {
  const [ref, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const innerWidth = Math.max(0, width - margin.left - margin.right)
  const innerHeight = height - margin.top - margin.bottom
  const last = days.length - 1
  const x = scaleLinear({ domain: [0, Math.max(1, last + toCome)], range: [0, innerWidth] })
  const highest = Math.max(4, included, ...days.map(({ remaining }) => remaining))
  const y = scaleLinear({ domain: [0, highest], range: [innerHeight, 0], nice: 4 })
  const points = days.map(({ remaining }, index) => `${x(index)},${y(remaining)}`)
  const shown = active === null ? undefined : days[active]

  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    setActive(Math.min(last, Math.max(0, Math.round(share * Math.max(1, last + toCome)))))
  }

  return (
    <div ref={ref} className="relative h-48">
      <input
        type="range"
        aria-label={text.burnDown}
        aria-valuetext={spoken(days[active ?? last])}
        min={0}
        max={Math.max(0, last)}
        value={active ?? last}
        onChange={(event) => setActive(Number(event.target.value))}
        onFocus={() => setActive((index) => index ?? last)}
        onBlur={() => setActive(null)}
        className="peer pointer-events-none absolute inset-0 opacity-0"
      />
      <svg
        width={width}
        height={height}
        aria-hidden="true"
        className="absolute inset-0 overflow-visible rounded-control outline-offset-4 outline-accent peer-focus-visible:outline-2"
      >
        {width > 0 && (
          <Group left={margin.left} top={margin.top}>
            {y.ticks(4).map((tick) => (
              <line key={tick} x1={0} x2={innerWidth} y1={y(tick)} y2={y(tick)} stroke="var(--color-line)" />
            ))}
            <line
              x1={0}
              x2={innerWidth}
              y1={y(included)}
              y2={y(included)}
              stroke="var(--color-line-strong)"
              strokeDasharray="4 4"
            />
            <polygon
              points={`${x(0)},${innerHeight} ${points.join(' ')} ${x(Math.max(0, last))},${innerHeight}`}
              fill="var(--color-accent-soft)"
            />
            <polyline points={points.join(' ')} fill="none" stroke="var(--chart-success)" strokeWidth={2} />
            {shown && (
              <>
                <line
                  x1={x(active ?? 0)}
                  x2={x(active ?? 0)}
                  y1={0}
                  y2={innerHeight}
                  stroke="var(--color-line-strong)"
                />
                <circle cx={x(active ?? 0)} cy={y(shown.remaining)} r={4} fill="var(--chart-success)" />
              </>
            )}
            {!shown && last >= 0 && (
              <circle cx={x(last)} cy={y(days[last]?.remaining ?? 0)} r={3.5} fill="var(--chart-success)" />
            )}
            <AxisLeft
              scale={y}
              tickValues={y.ticks(4)}
              hideAxisLine
              hideTicks
              tickFormat={(value) => compact.format(Number(value))}
              tickLabelProps={{ ...axisText, dx: -4, textAnchor: 'end', verticalAnchor: 'middle' }}
            />
            <AxisBottom
              top={innerHeight}
              scale={x}
              tickValues={dayTicks(last + toCome, Math.max(2, Math.floor(innerWidth / 90)))}
              tickFormat={(index) => dayName(days, Number(index))}
              hideTicks
              stroke="var(--color-line-strong)"
              tickLabelProps={{ ...axisText, dy: 2, textAnchor: 'middle' }}
            />
            <rect
              width={innerWidth}
              height={innerHeight}
              fill="transparent"
              onPointerMove={onPointerMove}
              onPointerLeave={() => setActive(null)}
            />
          </Group>
        )}
      </svg>
      {shown && <ReadOut day={shown} centre={margin.left + x(active ?? 0)} width={width} />}
    </div>
  )
}

const boxWidth = 160
const gap = 12

function ReadOut({ day, centre, width }: { day: CreditDay; centre: number; width: number }) {
  const left = centre + gap + boxWidth <= width ? centre + gap : Math.max(0, centre - gap - boxWidth)
  return (
    <div
      aria-hidden="true"
      style={{ left, width: boxWidth }}
      className="pointer-events-none absolute top-0 rounded-control border border-line bg-surface px-3 py-2 text-small shadow-raised figures"
    >
      <p className="font-strong">{formatUtcDay(day.date)} UTC</p>
      <p className="text-muted">
        <span className="text-ink">{formatWhole(day.remaining)}</span> left
      </p>
      <p className="text-muted">
        <span className="text-ink">{formatWhole(day.spent)}</span> spent
      </p>
    </div>
  )
}

const spoken = (day: CreditDay | undefined) =>
  day && `${formatUtcDay(day.date)}: ${formatWhole(day.remaining)} credits left, ${formatWhole(day.spent)} spent`

const dayMs = 86_400_000

/** The name of a day of the chart, also of one that is still to come. */
function dayName(days: CreditDay[], index: number): string {
  const first = days[0]
  return first ? formatUtcDay(new Date(Date.parse(first.date) + index * dayMs)) : ''
}

function dayTicks(last: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(last / most))
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
}
