import { formatUtcDate } from '../../lib/format.ts'
import { initialData } from '../../lib/initial-data.ts'
import { Badge } from '../../ui/badge.tsx'
import { detailsText as text } from './details-text.ts'

const count = new Intl.NumberFormat('en-US')
const MOST = 8

/** The datasets that anybody may read, the most recent first, with the last date of each. */
export function Coverage() {
  const datasets = initialData()?.datasets
  if (!datasets || datasets.length === 0) return null
  const rest = datasets.length - MOST
  return (
    <>
      <ul className="grid gap-2 sm:grid-cols-2 sm:gap-3 lg:grid-cols-4">
        {datasets.slice(0, MOST).map(({ id, name, rows, last, sample }) => (
          <li
            key={id}
            className="flex rounded-card border border-line bg-surface p-4 max-sm:items-baseline max-sm:justify-between max-sm:gap-3 max-sm:py-2.5 sm:flex-col"
          >
            <div className="flex items-start justify-between gap-2">
              <h3 className="font-strong text-balance">{name}</h3>
              {sample && <Badge>{text.sample}</Badge>}
            </div>
            <p className="mt-auto pt-1 figures text-muted max-sm:hidden">
              {count.format(rows)} {text.rows}
            </p>
            <p className="shrink-0 text-small figures text-muted sm:mt-2">
              {text.upTo} <span className="text-ink">{formatUtcDate(last)}</span>
            </p>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="mt-3 text-muted">{text.moreDatasets(rest)}</p>}
    </>
  )
}
