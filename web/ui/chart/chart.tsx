import { AxisBottom, AxisLeft, type AxisScale } from '@visx/axis'
import { Group } from '@visx/group'
import { scaleLinear } from '@visx/scale'
import { clsx } from 'clsx'
import { type PointerEvent, type ReactNode, useState } from 'react'
import { useSize } from './use-size.ts'

const top = 8
const right = 12
const bottom = 24
const boxWidth = 176
const gap = 14
const axisText = { fill: 'var(--color-muted)', fontSize: 12, fontFamily: 'inherit' } as const
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** The measures of the plot, in pixels, for the marks in it. */
export interface Plot<X> {
  x: X
  y: (value: number) => number
  /** The middle of a point. */
  middle: (index: number) => number
  width: number
  height: number
  /** The selected point, if any. */
  active: number | null
}

interface ChartProps<X extends AxisScale, At> {
  /** Names it for screen readers. */
  label: string
  /** Including the axes: pixels, or a class that sets it. */
  height: number | string
  /** Room for the labels of the left axis. */
  left?: number
  /** Number of points. */
  count: number
  x: (width: number) => X
  /** The value of a point on the scale. Default: its index. */
  at?: (index: number) => At
  /** The lowest and the highest value. The axis extends to the next round numbers. */
  domain: [number, number]
  formatValue?: (value: number) => string
  /** The labeled values of the bottom axis, about `most` of them. */
  ticks: (most: number, x: X) => readonly At[]
  formatTick: (at: At) => string
  /** A point as text, for screen readers. */
  spoken: (index: number) => string
  /** The content of the box next to the selected point. */
  readout?: (index: number) => ReactNode
  /** Text above the chart about the selected point, or else the last one. */
  caption?: (index: number) => ReactNode
  children: (plot: Plot<X>) => ReactNode
}

/** Axes, grid and readout around marks. The readout follows the nearest point, by pointer or arrow keys. */
export function Chart<X extends AxisScale, At = number>(props: ChartProps<X, At>) {
  const { label, left = 44, count, formatValue = compact.format } = props
  const [ref, { width: outerWidth, height: outerHeight }] = useSize()
  const [chosen, choose] = useState<number | null>(null)
  const width = Math.max(0, outerWidth - left - right)
  const height = Math.max(0, outerHeight - top - bottom)
  const x = props.x(width)
  const y = scaleLinear({ domain: props.domain, range: [height, 0], nice: 4 })
  // A label for every 40 pixels, else they touch.
  const levels = y.ticks(Math.max(2, Math.min(4, Math.floor(height / 40))))
  const place = (at: At) => Number(x(at as never)) + ('bandwidth' in x ? x.bandwidth() / 2 : 0)
  const middle = (index: number) => place(props.at ? props.at(index) : (index as At))
  const last = count - 1
  // New data may have fewer points.
  const active = chosen === null || count === 0 ? null : Math.min(chosen, last)
  const shown = active ?? last

  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const pointer = event.clientX - event.currentTarget.getBoundingClientRect().left
    const distance = (index: number) => Math.abs(middle(index) - pointer)
    let nearest = 0
    for (let index = 1; index < count; index++) if (distance(index) < distance(nearest)) nearest = index
    choose(nearest)
  }

  return (
    <>
      {count > 0 && props.caption?.(shown)}
      <div
        ref={ref}
        className={clsx('relative', typeof props.height === 'string' && props.height)}
        style={typeof props.height === 'number' ? { height: props.height } : undefined}
      >
        <input
          type="range"
          aria-label={label}
          aria-valuetext={count > 0 ? props.spoken(shown) : undefined}
          min={0}
          max={Math.max(0, last)}
          value={Math.max(0, shown)}
          onChange={(event) => choose(Number(event.target.value))}
          onFocus={() => choose(shown)}
          onBlur={() => choose(null)}
          className="peer pointer-events-none absolute inset-0 opacity-0"
        />
        <svg
          width={outerWidth}
          height={outerHeight}
          aria-hidden="true"
          className="absolute inset-0 overflow-visible rounded-control outline-offset-4 outline-accent peer-focus-visible:outline-2"
        >
          {outerWidth > 0 && (
            <Group left={left} top={top}>
              {levels.map((tick) => (
                <line key={tick} x1={0} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--color-line)" />
              ))}
              {props.children({ x, y, middle, width, height, active })}
              <AxisLeft
                scale={y}
                tickValues={levels}
                hideAxisLine
                hideTicks
                tickFormat={(value) => formatValue(Number(value))}
                tickLabelProps={{ ...axisText, dx: -4, textAnchor: 'end', verticalAnchor: 'middle' }}
              />
              <AxisBottom
                top={height}
                scale={x}
                tickValues={[...props.ticks(Math.max(2, Math.floor(width / 90)), x)]}
                tickFormat={(at) => props.formatTick(at as At)}
                hideTicks
                stroke="var(--color-line-strong)"
                tickLabelProps={(at) => {
                  // A label at the right edge ends there: centered, it would overflow the card on a phone.
                  const room = width - place(at as At)
                  return {
                    ...axisText,
                    dy: 2,
                    ...(room < 18 ? { dx: room, textAnchor: 'end' } : { textAnchor: 'middle' }),
                  }
                }}
              />
              <rect
                width={width}
                height={height}
                fill="transparent"
                onPointerMove={onPointerMove}
                onPointerLeave={() => choose(null)}
              />
            </Group>
          )}
        </svg>
        {props.readout && active !== null && (
          <Readout middle={left + middle(active)} width={outerWidth}>
            {props.readout(active)}
          </Readout>
        )}
      </div>
    </>
  )
}

/** Next to the point and inside the chart. */
function Readout({ middle, width, children }: { middle: number; width: number; children: ReactNode }) {
  const left = middle + gap + boxWidth <= width ? middle + gap : Math.max(0, middle - gap - boxWidth)
  return (
    <div
      aria-hidden="true"
      style={{ left, width: boxWidth }}
      className="pointer-events-none absolute top-0 rounded-control border border-line bg-surface px-3 py-2 text-small shadow-raised figures"
    >
      {children}
    </div>
  )
}

/** A dot at the value of a point, on a vertical line if the point is the selected one. */
export function Cursor({ plot, at, value }: { plot: Plot<unknown>; at: number; value: number }) {
  const { y, middle, height, active } = plot
  return (
    <>
      {active !== null && (
        <line x1={middle(active)} x2={middle(active)} y1={0} y2={height} stroke="var(--color-line-strong)" />
      )}
      {at >= 0 && <circle cx={middle(at)} cy={y(value)} r={active === null ? 3.5 : 4} fill="var(--chart-line)" />}
    </>
  )
}

/** The points of a line in SVG's syntax. */
export const linePoints = (values: number[], { y, middle }: Pick<Plot<unknown>, 'y' | 'middle'>): string =>
  values.map((value, index) => `${middle(index)},${y(value)}`).join(' ')
