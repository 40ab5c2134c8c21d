import { lazy, Suspense, useState } from 'react'
import { Info } from '../../../ui/icons/dashboard.ts'
import { ChevronRight } from '../../../ui/icons/public.ts'
import { Segments } from '../../../ui/segments.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import type { Preferences } from '../use-preferences.ts'
import { visible } from '../visible.ts'
import { compareResults, comparisonIn } from './comparison.ts'
import { ComparisonView } from './comparison-view.tsx'
import { type Block, ContentBlocks } from './content-blocks.tsx'
import { type Headline, headlinesOf } from './headline.ts'
import { HeadlineView } from './headline-view.tsx'
import { JsonBlock } from './json-block.tsx'
import { type Bar, barsOf, type ResultTable, readTable, type Series, seriesOf } from './result-table.ts'
import { RowsView } from './rows-view.tsx'

const LineChart = lazy(() => import('./result-chart.tsx').then((made) => ({ default: made.LineChart })))
const CandleChart = lazy(() => import('./result-chart.tsx').then((made) => ({ default: made.CandleChart })))
type View = 'candles' | 'chart' | 'table' | 'content' | 'result' | 'json'

interface ResultViewProps {
  data: unknown
  openAs: Preferences['openAs']
}

/**
 * A result: its headline, then a chart, a table, content blocks or only its inner result if that is useful, and always
 * formatted JSON.
 */
export function ResultView({ data, openAs }: ResultViewProps) {
  const compared = (data as { comparison?: unknown } | null)?.comparison
  // The message already says what is wrong.
  if ((data as { isError?: unknown } | null)?.isError === true) return <FoldedJson data={data} />
  if (Array.isArray(compared)) return <ComparedResults results={compared} openAs={openAs} />
  return <OneResult data={data} openAs={openAs} />
}

function ComparedResults({ results, openAs }: { results: unknown[]; openAs: Preferences['openAs'] }) {
  const comparison = compareResults(results)
  if (comparison)
    return (
      <>
        <ComparisonView comparison={comparison} />
        <FoldedJson data={results} />
      </>
    )
  return (
    <>
      <p className="text-muted">These symbols have no period in common, so each is shown separately.</p>
      {results.map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no identity and never change
        <OneResult key={index} data={result} openAs={openAs} />
      ))}
    </>
  )
}

function OneResult({ data, openAs }: ResultViewProps) {
  const table = readTable(data)
  const meta = metaOf(data)
  const series = table && seriesOf(table)
  const bars = table && barsOf(table)
  const comparison = table && comparisonIn(table)
  const headlines = table ? headlinesOf(table, meta) : []
  const blocks = blocksOf(data)
  const structured = table ? undefined : (data as { structuredContent?: unknown } | null)?.structuredContent
  const [chosen, choose] = useState<View>()
  // A table is collapsed below the chart or the headline.
  const folded = series !== null || (headlines.length > 0 && (table?.rows.length ?? 0) === 1)
  const views: { value: View; label: string }[] = [
    ...(bars ? [{ value: 'candles' as const, label: 'Candles' }] : []),
    ...(series ? [{ value: 'chart' as const, label: bars ? 'Line' : 'Chart' }] : []),
    ...(table && !series
      ? [{ value: 'table' as const, label: comparison ? 'Comparison' : folded ? 'Value' : 'Table' }]
      : []),
    ...(blocks ? [{ value: 'content' as const, label: 'Content' }] : []),
    ...(structured !== undefined ? [{ value: 'result' as const, label: 'Result' }] : []),
    { value: 'json', label: 'JSON' },
  ]
  if (views.length === 1) return <JsonBlock data={data} />
  const first = openAs === 'json' ? 'json' : views[0]!.value
  const view = chosen ?? first
  return (
    <div className="mt-1">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <Headlines headlines={headlines} />
        <Segments label="Result view" look="wrap" value={view} options={views} onChange={choose} />
      </div>
      {view !== 'json' && <Warnings meta={meta} />}
      {view === 'json' && <JsonBlock data={data} />}
      {view === 'result' && <JsonBlock data={structured} />}
      {view === 'content' && blocks && <ContentBlocks blocks={blocks} />}
      <Drawing view={view} series={series} bars={bars} />
      {view === 'table' && comparison && <ComparisonView comparison={comparison} />}
      {table && ['table', 'chart', 'candles'].includes(view) && (
        <TableOf table={table} folded={folded || comparison !== null} open={openAs === 'table'} />
      )}
    </div>
  )
}

function Headlines({ headlines }: { headlines: readonly Headline[] }) {
  if (headlines.length === 0) return null
  return (
    <div className="flex min-w-0 flex-wrap gap-x-8 gap-y-3">
      {headlines.slice(0, maxHeadlines).map((headline) => (
        <HeadlineView key={headline.symbol} headline={headline} />
      ))}
    </div>
  )
}
/** The table has the others. */
const maxHeadlines = 4

function Drawing({ view, series, bars }: { view: View; series: Series | null; bars: Bar[] | null }) {
  if (view !== 'chart' && view !== 'candles') return null
  return (
    <Suspense fallback={<Skeleton className="mt-2 h-56" />}>
      {view === 'chart' && series && <LineChart series={series} />}
      {view === 'candles' && bars && <CandleChart bars={bars} />}
    </Suspense>
  )
}

function TableOf({ table, folded, open }: { table: ResultTable; folded: boolean; open: boolean }) {
  const [shown, show] = useState(open)
  if (!folded) return <RowsView table={table} />
  return (
    <details className="group mt-2" open={shown} onToggle={(event) => show(event.currentTarget.open)}>
      <Summary>View as table</Summary>
      {shown && <RowsView table={table} />}
    </details>
  )
}

function FoldedJson({ data }: { data: unknown }) {
  return (
    <details className="group mt-2">
      <Summary>JSON</Summary>
      <JsonBlock data={data} />
    </details>
  )
}

function Summary({ children }: { children: string }) {
  return (
    <summary className="inline-flex items-center gap-1 rounded-control text-small text-muted hover:text-ink pointer-coarse:min-h-11">
      <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
      {children}
    </summary>
  )
}

/** The server's notes about the data, for example that it is old. */
function Warnings({ meta }: { meta: Record<string, unknown> }) {
  const warnings = Array.isArray(meta.warnings) ? meta.warnings.filter((one) => typeof one === 'string') : []
  if (warnings.length === 0) return null
  return (
    <ul className="mt-2 space-y-0.5 text-small text-muted">
      {warnings.slice(0, maxWarnings).map((warning) => (
        <li key={warning} className="flex gap-1.5">
          <Info aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          <span className="min-w-0 break-words">{visible(warning)}</span>
        </li>
      ))}
    </ul>
  )
}
const maxWarnings = 3

function metaOf(data: unknown): Record<string, unknown> {
  const meta = (data as { structuredContent?: { meta?: unknown } | null } | null)?.structuredContent?.meta
  return typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>) : {}
}

/** The content blocks of a result, unless its structured content repeats them. */
function blocksOf(data: unknown): Block[] | null {
  const { content, structuredContent } = (data ?? {}) as { content?: unknown; structuredContent?: unknown }
  if (!Array.isArray(content) || content.length === 0) return null
  const blocks = content.filter((block): block is Block => typeof block === 'object' && block !== null)
  const [first] = blocks
  const same = blocks.length === 1 && first?.type === 'text' && structuredContent !== undefined
  return same || blocks.length === 0 ? null : blocks
}
