import { AxisBottom, AxisLeft } from '@visx/axis'
import { Group } from '@visx/group'
import { scaleLinear, scaleUtc } from '@visx/scale'
import { LinePath } from '@visx/shape'
import { type PointerEvent, useState } from 'react'
import { useWidth } from '../../ui/use-width.ts'
import type { Series } from './result-table.ts'

const height = 240
const margin = { top: 12, right: 8, bottom: 26, left: 52 }
const axisText = { fill: 'var(--color-muted)', fontSize: 12, fontFamily: 'inherit' } as const
const day = (at: Date) => at.toISOString().slice(0, 10)
const month = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', timeZone: 'UTC' })
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })

/** One line over time; the read-out follows the nearest point, by pointer or by the arrow keys. */
export default function ResultChart({ series: { name, points } }: { series: Series }) {
  const [ref, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const innerWidth = Math.max(0, width - margin.left - margin.right)
  const innerHeight = height - margin.top - margin.bottom
  const values = points.map((point) => point.value)
  const last = points.length - 1
  const x = scaleUtc({ domain: [points[0]!.at, points[last]!.at], range: [0, innerWidth] })
  const y = scaleLinear({ domain: [Math.min(...values), Math.max(...values)], range: [innerHeight, 0], nice: 4 })
  const shown = points[active ?? last]!

  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const at = x.invert(((event.clientX - box.left) / box.width) * innerWidth).getTime()
    let nearest = 0
    for (let index = 1; index <= last; index++) {
      if (Math.abs(points[index]!.at.getTime() - at) < Math.abs(points[nearest]!.at.getTime() - at)) nearest = index
    }
    setActive(nearest)
  }

  return (
    <figure className="mt-2 rounded-control border border-line bg-surface p-3">
      <figcaption className="flex justify-between text-small figures text-muted">
        <span>{name}, UTC</span>
        <span aria-live="polite">
          {day(shown.at)}: {figure.format(shown.value)}
        </span>
      </figcaption>
      <div ref={ref} className="relative h-60">
        <input
          type="range"
          aria-label={`${name} over time`}
          aria-valuetext={`${day(shown.at)}: ${figure.format(shown.value)}`}
          min={0}
          max={last}
          value={active ?? last}
          onChange={(event) => setActive(Number(event.target.value))}
          className="peer pointer-events-none absolute inset-0 opacity-0"
        />
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          className="absolute inset-0 rounded-control outline-offset-2 outline-accent peer-focus-visible:outline-2"
        >
          {width > 0 && (
            <Group left={margin.left} top={margin.top}>
              {y.ticks(4).map((tick) => (
                <line key={tick} x1={0} x2={innerWidth} y1={y(tick)} y2={y(tick)} stroke="var(--color-line)" />
              ))}
              <LinePath
                data={points}
                x={(point) => x(point.at)}
                y={(point) => y(point.value)}
                stroke="var(--chart-success)"
                strokeWidth={1.5}
                fill="none"
              />
              <circle cx={x(shown.at)} cy={y(shown.value)} r={3.5} fill="var(--chart-success)" />
              <AxisLeft
                scale={y}
                tickValues={y.ticks(4)}
                hideAxisLine
                hideTicks
                tickFormat={(value) => figure.format(Number(value))}
                tickLabelProps={{ ...axisText, dx: -4, textAnchor: 'end', verticalAnchor: 'middle' }}
              />
              <AxisBottom
                top={innerHeight}
                scale={x}
                numTicks={Math.max(2, Math.floor(innerWidth / 110))}
                tickFormat={(value) => month.format(value as Date)}
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
      </div>
    </figure>
  )
}
