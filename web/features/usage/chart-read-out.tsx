import { formatUtcDay, formatUtcHour, formatWhole } from '../../lib/format.ts'
import type { Bucket } from './buckets.ts'
import { usageText as text } from './text.ts'

const boxWidth = 176
const gap = 16

export const bucketName = ({ start }: Bucket, hourly: boolean) => (hourly ? formatUtcHour(start) : formatUtcDay(start))

interface ReadOutProps {
  bucket: Bucket
  hourly: boolean
  /** Of the column, in pixels from the left edge. */
  centre: number
  width: number
}

/** The exact numbers of one column, beside it so that it stays visible, and inside the chart. */
export function ReadOut({ bucket, hourly, centre, width }: ReadOutProps) {
  const total = bucket.success + bucket.failed
  const left = centre + gap + boxWidth <= width ? centre + gap : Math.max(0, centre - gap - boxWidth)
  return (
    <div
      aria-hidden="true"
      style={{ left }}
      className="pointer-events-none absolute top-0 w-44 rounded-control border border-line bg-surface px-3 py-2 text-small shadow-raised figures"
    >
      <p className="font-strong">{bucketName(bucket, hourly)} UTC</p>
      <Entry colour="var(--chart-success)" label={text.succeeded} value={formatWhole(bucket.success)} />
      <Entry colour="var(--chart-failed)" label={text.failedCalls} value={formatWhole(bucket.failed)} />
      <p className="mt-1 text-muted">
        {total === 0 ? 'No requests' : `${((bucket.failed / total) * 100).toFixed(1)} % failed`}
      </p>
    </div>
  )
}

/** What the colours mean, and whose midnight divides the days. */
export function ChartLegend() {
  return (
    <div className="mt-2 flex flex-wrap gap-x-4 text-small text-muted">
      <Entry colour="var(--chart-success)" label={text.succeeded} />
      <Entry colour="var(--chart-failed)" label={text.failedCalls} />
      <span className="ml-auto">Times in UTC</span>
    </div>
  )
}

function Entry({ colour, label, value }: { colour: string; label: string; value?: string }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span style={{ background: colour }} className="size-2 rounded-[2px]" />
      {label}
      {value && <span className="ml-auto text-ink">{value}</span>}
    </p>
  )
}
