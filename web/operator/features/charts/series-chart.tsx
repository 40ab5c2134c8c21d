import { scaleBand } from '@visx/scale'
import { Chart, linePoints } from '../../../ui/chart/chart.tsx'
import { type Series, tickIndexes } from './series.ts'

interface SeriesChartProps {
  label: string
  look: 'columns' | 'lines'
  points: readonly string[]
  series: readonly Series[]
  format: (value: number) => string
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** Stacked columns, or a line for each series, with a legend. */
export default function SeriesChart({ label, look, points, series, format }: SeriesChartProps) {
  const total = (index: number) => series.reduce((sum, { values }) => sum + Math.max(0, values[index] ?? 0), 0)
  const values = series.flatMap((one) => one.values)
  const highest = look === 'columns' ? Math.max(0, ...points.map((_, index) => total(index))) : Math.max(0, ...values)
  const lowest = Math.min(0, ...values)
  const decimals = format(1).split('.')[1]?.length ?? 0
  const isMoney = decimals > 0
  return (
    <>
      <ul className="mb-2 flex flex-wrap gap-x-5 gap-y-1 text-small text-muted">
        {series.map(({ name, color }) => (
          <li key={name} className="flex items-center gap-2">
            <span style={{ background: color }} className="swatch size-2 shrink-0 rounded-[2px]" />
            {name}
          </li>
        ))}
      </ul>
      <Chart
        label={label}
        height={208}
        left={isMoney ? 64 : 44}
        count={points.length}
        x={(width) =>
          scaleBand({ domain: [...points.keys()], range: [0, width], paddingInner: 0.25, paddingOuter: 0.1 })
        }
        domain={[lowest, Math.max(4, highest)]}
        {...(isMoney && {
          formatValue: (value: number) => `${value < 0 ? '−' : ''}${compact.format(Math.abs(value) / 10 ** decimals)}`,
        })}
        ticks={(most) => tickIndexes(points.length, most)}
        formatTick={(index) => points[index] ?? ''}
        spoken={(index) =>
          `${points[index]}: ${series.map(({ name, values }) => `${name} ${format(values[index] ?? 0)}`).join(', ')}`
        }
        readout={(index) => (
          <>
            <p className="font-strong">{points[index]} UTC</p>
            {series.map(({ name, color, values }) => (
              <p key={name} className="flex items-center gap-2 text-muted">
                <span style={{ background: color }} className="swatch size-2 shrink-0 rounded-[2px]" />
                {name}
                <span className="ml-auto text-ink">{format(values[index] ?? 0)}</span>
              </p>
            ))}
          </>
        )}
      >
        {(plot) => (
          <>
            {plot.active !== null && (
              <rect
                x={plot.middle(plot.active) - plot.x.step() / 2}
                width={plot.x.step()}
                height={plot.height}
                fill="var(--color-hover)"
              />
            )}
            {look === 'lines'
              ? series.map(({ name, color, values }) => (
                  <polyline key={name} points={linePoints(values, plot)} fill="none" stroke={color} strokeWidth={2} />
                ))
              : points.map((point, index) => {
                  let below = 0
                  return (
                    <g key={point}>
                      {series.map(({ name, color, values }) => {
                        const value = values[index] ?? 0
                        // Below zero: more went back than came in.
                        const [from, to] = value < 0 ? [value, 0] : [below, below + value]
                        below = Math.max(below, to)
                        return (
                          value !== 0 && (
                            <rect
                              key={name}
                              x={plot.x(index)}
                              width={plot.x.bandwidth()}
                              y={plot.y(to)}
                              height={Math.max(1, plot.y(from) - plot.y(to) - (from > 0 ? 1 : 0))}
                              rx={1.5}
                              fill={color}
                            />
                          )
                        )
                      })}
                    </g>
                  )
                })}
          </>
        )}
      </Chart>
    </>
  )
}
