import { AxisBottom, AxisLeft } from '@visx/axis'
import { Group } from '@visx/group'
import { scaleBand, scaleLinear } from '@visx/scale'
import { type PointerEvent, useState } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { useWidth } from '../../ui/use-width.ts'
import type { Bucket } from './buckets.ts'
import { bucketName, ChartLegend, ReadOut } from './chart-read-out.tsx'
import { usageText as text } from './text.ts'

const height = 224
const margin = { top: 8, right: 4, bottom: 24, left: 40 }
const axisText = { fill: 'var(--color-muted)', fontSize: 12, fontFamily: 'inherit' } as const
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** Stacked columns of successes and failures. The read-out follows the nearest column: by pointer, or by the arrow keys. */
export default function UsageChart({ buckets, hourly }: { buckets: Bucket[]; hourly: boolean }) {
  const [ref, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const innerWidth = Math.max(0, width - margin.left - margin.right)
  const innerHeight = height - margin.top - margin.bottom
  const x = scaleBand({ domain: [...buckets.keys()], range: [0, innerWidth], paddingInner: 0.25, paddingOuter: 0.1 })
  const highest = Math.max(4, ...buckets.map(({ success, failed }) => success + failed))
  const y = scaleLinear({ domain: [0, highest], range: [innerHeight, 0], nice: 4 })
  const shown = active === null ? undefined : buckets[active]
  const last = buckets.length - 1

  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setActive(Math.min(last, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * buckets.length))))
  }

  return (
    <>
      <div ref={ref} className="relative h-56">
        <input
          type="range"
          aria-label={`${text.title} by ${hourly ? 'hour' : 'day'}`}
          aria-valuetext={spoken(buckets[active ?? last], hourly)}
          min={0}
          max={last}
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
              {active !== null && (
                <rect
                  x={(x(active) ?? 0) - x.step() * 0.125}
                  width={x.step()}
                  height={innerHeight}
                  fill="var(--color-hover)"
                />
              )}
              {buckets.map(({ start, success, failed }, index) => (
                <g key={start.getTime()}>
                  <Column
                    x={x(index)}
                    width={x.bandwidth()}
                    from={y(success)}
                    to={innerHeight}
                    fill="var(--chart-success)"
                  />
                  <Column
                    x={x(index)}
                    width={x.bandwidth()}
                    from={y(success + failed)}
                    to={y(success)}
                    fill="var(--chart-failed)"
                  />
                </g>
              ))}
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
                tickValues={tickIndexes(buckets.length, Math.max(2, Math.floor(innerWidth / 90)))}
                tickFormat={(index) => bucketName(buckets[index] as Bucket, hourly)}
                hideTicks
                stroke="var(--color-line-strong)"
                tickLabelProps={(_, index, all) => ({
                  ...axisText,
                  dy: 2,
                  // The last label ends with its column: centred, it would stand out of the card on a phone.
                  ...(index === all.length - 1
                    ? { dx: x.bandwidth() / 2, textAnchor: 'end' }
                    : { textAnchor: 'middle' }),
                })}
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
        {shown && (
          <ReadOut
            bucket={shown}
            hourly={hourly}
            centre={margin.left + (x(active ?? 0) ?? 0) + x.bandwidth() / 2}
            width={width}
          />
        )}
      </div>
      <ChartLegend />
    </>
  )
}

function Column({
  x,
  width,
  from,
  to,
  fill,
}: {
  x: number | undefined
  width: number
  from: number
  to: number
  fill: string
}) {
  return to > from ? <rect x={x} width={width} y={from} height={to - from} rx={1.5} fill={fill} /> : null
}

const spoken = (bucket: Bucket | undefined, hourly: boolean) =>
  bucket &&
  `${bucketName(bucket, hourly)}: ${formatWhole(bucket.success)} succeeded, ${formatWhole(bucket.failed)} failed`

/** Evenly spaced indexes that end at the last one. */
function tickIndexes(count: number, most: number): number[] {
  const step = Math.ceil(count / most)
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % step === 0)
}
