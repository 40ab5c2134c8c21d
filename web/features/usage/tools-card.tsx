import { useQuery } from '@tanstack/react-query'
import type { ToolShares } from '#contract/usage.ts'
import { formatDate, formatWhole } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { keyUsageQuery } from './queries.ts'
import { useRange } from './range-choice.tsx'
import { usageText as text } from './text.ts'

/** Which tools a key called lately, by the credits that they cost; by calls while all were free. */
export function ToolsCard({ keyId }: { keyId: string }) {
  const query = useQuery(keyUsageQuery(keyId, useRange()))
  const { data } = query
  const called = data?.recent.tools ?? []
  const measure = called.some(({ credits }) => credits > 0) ? 'credits' : 'calls'
  const tools = called.toSorted((a, b) => b[measure] - a[measure])
  const all = tools.reduce((sum, one) => sum + one[measure], 0)
  return (
    <Card title={text.tools} about={data ? text.toolsSince(measure, formatDate(data.recent.since)) : '\u00a0'}>
      <QueryState query={query} loading={text.loading} bars={['h-8 w-full', 'h-8 w-full']} failed={text.failed} />
      {data && all === 0 && <p className="text-muted">{text.noTools}</p>}
      <ol className="space-y-3">
        {tools.map((one) => (
          <li key={one.tool}>
            <Share {...one} percent={(100 * one[measure]) / all} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Share({ tool, calls, failed, credits, percent }: ToolShares['tools'][number] & { percent: number }) {
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 figures">
        <span className="min-w-0 truncate font-mono text-small">{tool}</span>
        <span className="ml-auto text-muted">
          {text.share(calls, credits)}
          {failed > 0 && <span className="text-danger"> {text.failedOf(formatWhole(failed))}</span>}
          <span className="ml-3 inline-block min-w-[4ch] text-right text-ink">
            {percent > 0 && percent < 1 ? '< 1' : Math.round(percent)}%
          </span>
        </span>
      </p>
      <div aria-hidden="true" className="mt-1 h-1.5 rounded-full bg-sunken">
        {percent > 0 && (
          <div
            className="swatch h-full rounded-full bg-(--chart-success)"
            style={{ width: `${Math.max(1, percent)}%` }}
          />
        )}
      </div>
    </>
  )
}
