import { clsx } from 'clsx'
import { type PointerEvent, useState } from 'react'
import { visible } from '../../lib/visible.ts'
import { figureText } from './format-table.ts'
import { lineLook } from './line-looks.ts'
import type { Picture } from './picture.ts'
import { labeled, ticksOf } from './scale.ts'

/** With more bars, their figures would touch. */
const mostFigures = 6
const mostLabels = 5

/**
 * A chart with its title, unit and axes. Its places are percentages, so that the server can draw it before it has a size.
 * The readout follows the nearest point, by pointer or arrow keys.
 */
export function AnswerChart({ picture }: { picture: Picture }) {
  const { kind, title, unit, points } = picture
  const [active, choose] = useState<number | null>(null)
  const values = points.flatMap((point) => point.values)
  const ticks = ticksOf(Math.min(...values, ...zeroOf(kind)), Math.max(...values, ...zeroOf(kind)))
  const [low, high] = [ticks[0]!, ticks.at(-1)!]
  const y = (value: number) => (100 * (high - value)) / (high - low)
  const [start, end] = [points[0]!.at, points.at(-1)!.at]
  // Bars and candles stand in the middle of equal columns; lines reach from edge to edge.
  const x = ({ at }: { at: number }) =>
    kind === 'lines' ? (end === start ? 50 : (100 * (at - start)) / (end - start)) : (100 * (at + 0.5)) / points.length
  const places = points.map(x)
  const last = points.length - 1
  const shown = points[active ?? last]!

  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const at = (100 * (event.clientX - left)) / width
    choose(
      places.reduce((best, place, index) => (Math.abs(place - at) < Math.abs(places[best]! - at) ? index : best), 0),
    )
  }

  return (
    <figure className="@container flex h-full flex-col">
      <figcaption className="flex flex-wrap justify-between gap-x-3 text-small text-muted">
        <span className="min-w-0 break-words">
          <span className="font-strong text-ink">{visible(title)}</span>
          {unit !== null && <span> · {visible(unit)}</span>}
        </span>
        {/* The last point is the headline's. */}
        <span aria-live="polite" className="figures">
          {active !== null && `${shown.name}: ${visible(shown.said)}`}
        </span>
      </figcaption>
      <div className="mt-3 mb-6 flex min-h-0 flex-1 gap-2">
        <div aria-hidden="true" className="relative flex-none text-right text-small text-muted figures">
          {ticks.map((tick) => (
            <span
              key={tick}
              style={{ top: `${y(tick)}%` }}
              className="absolute right-0 -translate-y-1/2 whitespace-nowrap"
            >
              {figureText(tick)}
            </span>
          ))}
          {/* Makes the column as wide as its widest figure. */}
          <span className="invisible whitespace-nowrap">{widest(ticks.map(figureText))}</span>
        </div>
        <div className="relative mr-1 min-w-0 flex-1" onPointerMove={follow} onPointerLeave={() => choose(null)}>
          <input
            type="range"
            aria-label={`${visible(title)} over time`}
            aria-valuetext={`${shown.name}: ${visible(shown.said)}`}
            min={0}
            max={last}
            value={active ?? last}
            onChange={(event) => choose(Number(event.target.value))}
            onFocus={() => choose(active ?? last)}
            onBlur={() => choose(null)}
            className="peer pointer-events-none absolute inset-0 m-0 size-full opacity-0"
          />
          <svg
            role="img"
            aria-label={summary(picture)}
            viewBox="0 0 100 100"
            preserveAspectRatio="none"
            className="absolute inset-0 size-full overflow-visible rounded-control outline-offset-4 outline-accent peer-focus-visible:outline-2"
          >
            {ticks.map((tick) => (
              <path
                key={tick}
                d={`M0 ${y(tick)}H100`}
                stroke={tick === 0 || tick === low ? 'var(--color-line-strong)' : 'var(--color-line)'}
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {active !== null && kind === 'lines' && (
              <path
                d={`M${places[active]} 0V100`}
                stroke="var(--color-line-strong)"
                vectorEffect="non-scaling-stroke"
              />
            )}
            <Marks picture={picture} places={places} y={y} active={active} />
          </svg>
          {kind === 'lines' &&
            shown.values.map((value, index) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a chart never change their order
                key={index}
                aria-hidden="true"
                style={{ left: `${places[active ?? last]}%`, top: `${y(value)}%`, background: lineLook(index).color }}
                className="pointer-events-none absolute size-2 -translate-1/2 rounded-full"
              />
            ))}
          {kind === 'bars' &&
            points.length <= mostFigures &&
            points.map(({ said, values: [value = 0], name: period }, index) => (
              <span
                key={period}
                aria-hidden="true"
                style={{ left: `${places[index]}%`, top: `${y(Math.max(value, 0))}%` }}
                className="pointer-events-none absolute -translate-x-1/2 -translate-y-full pb-0.5 text-small whitespace-nowrap figures"
              >
                {said}
              </span>
            ))}
          <div aria-hidden="true" className="absolute inset-x-0 top-full mt-1.5 text-small text-muted figures">
            {labeled(places, mostLabels).map((index, order, all) => (
              <span
                key={points[index]!.at}
                style={{ left: `${places[index]}%` }}
                className={clsx(
                  'absolute whitespace-nowrap',
                  // At the edges a centered date would leave the chart.
                  places[index]! > 92 ? '-translate-x-full' : places[index]! >= 8 && '-translate-x-1/2',
                  // On a phone every other date stands.
                  order % 2 === 1 && all.length === mostLabels && '@max-sm:hidden',
                )}
              >
                {points[index]!.label}
              </span>
            ))}
          </div>
        </div>
      </div>
    </figure>
  )
}

/** Bars begin at zero: their length is their value. */
const zeroOf = (kind: Picture['kind']) => (kind === 'bars' ? [0] : [])
const widest = (texts: readonly string[]) => texts.toSorted((a, b) => b.length - a.length)[0]

/** The chart in one sentence. */
function summary({ title, unit, points }: Picture): string {
  const [first, last] = [points[0]!, points.at(-1)!]
  return `${visible(title)}${unit === null ? '' : `, ${visible(unit)}`}: ${visible(first.said)} on ${first.name}, ${visible(last.said)} on ${last.name}`
}

interface MarksProps {
  picture: Picture
  places: readonly number[]
  y: (value: number) => number
  active: number | null
}

function Marks({ picture: { kind, points }, places, y, active }: MarksProps) {
  const half = Math.min(kind === 'bars' ? 14 : 1.2, (kind === 'bars' ? 32 : 35) / points.length)
  if (kind === 'lines')
    return points[0]!.values.map((_, index) => {
      const line = points.map(({ values }, at) => `${places[at]},${y(values[index]!)}`).join(' ')
      const { color, dash } = lineLook(index)
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a chart never change their order
        <g key={index}>
          {points[0]!.values.length === 1 && <polygon points={`0,100 ${line} 100,100`} fill={color} opacity={0.1} />}
          <polyline
            points={line}
            fill="none"
            stroke={color}
            strokeWidth={1.75}
            strokeDasharray={dash}
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      )
    })
  return points.map(({ at, values }, index) => {
    const faded = active === null || active === index ? 1 : 0.45
    const x = places[index]! - half
    if (kind === 'bars') {
      const [top, bottom] = [y(Math.max(values[0]!, 0)), y(Math.min(values[0]!, 0))]
      return (
        <rect key={at} x={x} width={2 * half} y={top} height={bottom - top} fill={lineLook(0).color} opacity={faded} />
      )
    }
    const [open, high, low, close] = values as [number, number, number, number]
    const rose = close >= open
    const color = rose ? 'var(--color-success)' : 'var(--color-danger)'
    const [upper, lower] = [y(Math.max(open, close)), y(Math.min(open, close))]
    // Hollow when the price rose, filled when it fell, so that no color is needed.
    return (
      <g key={at} stroke={color} opacity={faded}>
        <path
          d={`M${places[index]} ${y(high)}V${upper}M${places[index]} ${lower}V${y(low)}`}
          vectorEffect="non-scaling-stroke"
        />
        <rect
          x={x}
          width={2 * half}
          y={upper}
          height={Math.max(0.5, lower - upper)}
          fill={rose ? 'var(--color-surface)' : color}
          vectorEffect="non-scaling-stroke"
        />
      </g>
    )
  })
}
