import type { Point } from './answer-text.ts'

const width = 600
const height = 168
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })

/**
 * A line through the values over time, with the highest, the lowest and the last one named. It needs no script, so that
 * a page shows it at once.
 */
export function LinePicture({ name, points }: { name: string; points: readonly Point[] }) {
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const times = points.map(({ date }) => Date.parse(date))
  const [start, end] = [times[0]!, times.at(-1)!]
  const x = (time: number) => (end === start ? 0 : ((time - start) / (end - start)) * width)
  const y = (value: number) => 8 + (high === low ? 0.5 : (high - value) / (high - low)) * (height - 16)
  const line = points.map(({ value }, index) => `${x(times[index]!).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const last = points.at(-1)!
  return (
    <figure>
      <div className="flex gap-2">
        <div className="relative h-42 min-w-0 flex-1">
          <svg
            role="img"
            aria-label={`${name}: ${figure.format(values[0]!)} on ${points[0]!.date}, ${figure.format(last.value)} on ${last.date}; lowest ${figure.format(low)}, highest ${figure.format(high)}`}
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            className="size-full overflow-visible"
          >
            {[8, height / 2, height - 8].map((at) => (
              <line
                key={at}
                x1={0}
                x2={width}
                y1={at}
                y2={at}
                stroke="var(--color-line)"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            <polygon points={`0,${height} ${line} ${width},${height}`} fill="var(--chart-success)" opacity={0.12} />
            <polyline
              points={line}
              fill="none"
              stroke="var(--chart-success)"
              strokeWidth={2}
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
        </div>
        <div
          aria-hidden="true"
          className="flex flex-none flex-col justify-between text-right text-small text-muted figures"
        >
          <span>{figure.format(high)}</span>
          <span>{figure.format(low)}</span>
        </div>
      </div>
      <figcaption aria-hidden="true" className="mt-1 flex justify-between text-small text-muted figures">
        <span>{points[0]!.date}</span>
        <span>{last.date}</span>
      </figcaption>
    </figure>
  )
}
