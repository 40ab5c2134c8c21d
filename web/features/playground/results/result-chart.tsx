import { scaleUtc } from '@visx/scale'
import { Chart, Line } from '../../../ui/chart/chart.tsx'
import type { Series } from './result-table.ts'

const day = (at: Date) => at.toISOString().slice(0, 10)
const month = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', timeZone: 'UTC' })
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })

/** One line over time. */
export default function ResultChart({ series: { name, points } }: { series: Series }) {
  const values = points.map(({ value }) => value)
  const spoken = (index: number) => `${day(points[index]!.at)}: ${figure.format(values[index]!)}`
  return (
    <figure className="mt-2 rounded-control border border-line bg-surface p-3">
      <Chart
        label={`${name} over time`}
        height={240}
        left={52}
        count={points.length}
        x={(width) => scaleUtc({ domain: [points[0]!.at, points.at(-1)!.at], range: [0, width] })}
        at={(index) => points[index]!.at}
        domain={[Math.min(...values), Math.max(...values)]}
        formatValue={figure.format}
        ticks={(most, x) => x.ticks(most)}
        formatTick={month.format}
        spoken={spoken}
        caption={(index) => (
          <figcaption className="mb-1.5 flex justify-between text-small figures text-muted">
            <span>{name}, UTC</span>
            <span aria-live="polite">{spoken(index)}</span>
          </figcaption>
        )}
      >
        {(plot) => <Line plot={plot} values={values} width={1.5} />}
      </Chart>
    </figure>
  )
}
