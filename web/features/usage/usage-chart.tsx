import { scaleBand } from '@visx/scale'
import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import type { Bucket } from './buckets.ts'
import { usageText as text } from './text.ts'

/** Stacked columns of successes and failures. */
export default function UsageChart({ buckets, hourly }: { buckets: Bucket[]; hourly: boolean }) {
  const name = ({ start }: Bucket) => (hourly ? formatUtcHour(start) : formatUtcDay(start))
  const spoken = (bucket: Bucket) =>
    `${name(bucket)}: ${formatWhole(bucket.success)} succeeded, ${formatWhole(bucket.failed)} failed`
  return (
    <>
      <Chart
        label={`${text.title} by ${hourly ? 'hour' : 'day'}`}
        height={224}
        count={buckets.length}
        x={(width) =>
          scaleBand({ domain: [...buckets.keys()], range: [0, width], paddingInner: 0.25, paddingOuter: 0.1 })
        }
        domain={[0, Math.max(4, ...buckets.map(({ success, failed }) => success + failed))]}
        ticks={(most) => tickIndexes(buckets.length, most)}
        formatTick={(index) => name(buckets[index]!)}
        spoken={(index) => spoken(buckets[index]!)}
        readout={(index) => <Readout bucket={buckets[index]!} name={name(buckets[index]!)} />}
      >
        {({ x, y, height, middle, active }) => (
          <>
            {active !== null && (
              <rect x={middle(active) - x.step() / 2} width={x.step()} height={height} fill="var(--color-hover)" />
            )}
            {buckets.map(({ start, success, failed }, index) => {
              const place = { x: x(index), width: x.bandwidth() }
              return (
                <g key={start.getTime()}>
                  <Column {...place} from={y(success)} to={height} fill="var(--chart-success)" />
                  <Column {...place} from={y(success + failed)} to={y(success)} fill="var(--chart-failed)" />
                </g>
              )
            })}
          </>
        )}
      </Chart>
      {/* The legend, with the time zone of the day boundaries. */}
      <div className="mt-2 flex flex-wrap gap-x-4 text-small text-muted">
        <Entry color="var(--chart-success)" label={text.succeeded} />
        <Entry color="var(--chart-failed)" label={text.failedCalls} />
        <span className="ml-auto">Times in UTC</span>
      </div>
    </>
  )
}

interface ColumnProps {
  x: number | undefined
  width: number
  from: number
  to: number
  fill: string
}

const Column = ({ from, to, ...rest }: ColumnProps) =>
  to > from ? <rect {...rest} y={from} height={to - from} rx={1.5} /> : null

/** The exact numbers of one column. */
function Readout({ bucket: { success, failed }, name }: { bucket: Bucket; name: string }) {
  const total = success + failed
  return (
    <>
      <p className="font-strong">{name} UTC</p>
      <Entry color="var(--chart-success)" label={text.succeeded} value={formatWhole(success)} />
      <Entry color="var(--chart-failed)" label={text.failedCalls} value={formatWhole(failed)} />
      <p className="mt-1 text-muted">
        {total === 0 ? 'No requests' : `${Number(((failed / total) * 100).toFixed(1))}% failed`}
      </p>
    </>
  )
}

function Entry({ color, label, value }: { color: string; label: string; value?: string }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span style={{ background: color }} className="swatch size-2 rounded-[2px]" />
      {label}
      {value && <span className="ml-auto text-ink">{value}</span>}
    </p>
  )
}

/** Evenly spaced indexes, including the last one. */
function tickIndexes(count: number, most: number): number[] {
  const step = Math.ceil(count / most)
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % step === 0)
}
