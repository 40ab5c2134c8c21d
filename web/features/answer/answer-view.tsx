import { useState } from 'react'
import { visible } from '../../lib/visible.ts'
import { Info } from '../../ui/icons/answer.ts'
import { Segments } from '../../ui/segments.tsx'
import { AnswerChart } from './answer-chart.tsx'
import { compareResults, comparisonIn } from './comparison.ts'
import { ComparisonView } from './comparison-view.tsx'
import { type Block, ContentBlocks } from './content-blocks.tsx'
import { headlinesOf } from './headline.ts'
import { HeadlineView } from './headline-view.tsx'
import { JsonBlock } from './json-block.tsx'
import { picturesOf } from './picture.ts'
import { type Meta, metaOf, readTable } from './read-table.ts'
import { RowsView } from './rows-view.tsx'
import { answerText as text } from './text.ts'

interface AnswerViewProps {
  /** A result of `tools/call`; the body of a REST response as its `structuredContent` alone. */
  data: unknown
  openAs?: 'chart' | 'table' | 'json'
  /** Names the JSON, where it is the only one of its page. */
  label?: string | undefined
}

/**
 * An answer: its headline, then a chart, a table, content blocks or only its inner result if that is useful, and always
 * its JSON.
 */
export function AnswerView({ data, openAs = 'chart', label }: AnswerViewProps) {
  const compared = (data as { comparison?: unknown } | null)?.comparison
  if (!Array.isArray(compared)) return <OneAnswer data={data} openAs={openAs} label={label} />
  const comparison = compareResults(compared)
  if (comparison)
    return (
      <Views
        openAs={openAs}
        views={[
          { value: 'Comparison', show: () => <ComparisonView comparison={comparison} /> },
          { value: 'JSON', show: () => <JsonBlock data={compared} label={label} /> },
        ]}
      />
    )
  return (
    <>
      <p className="text-muted">{text.noPeriod}</p>
      {compared.map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no identity and never change
        <OneAnswer key={index} data={result} openAs={openAs} label={undefined} />
      ))}
    </>
  )
}

/** The table has the others. */
const maxHeadlines = 4
/** Charts, and what stands in their place, have one height: a switch moves nothing. In a low list, room is left for the rest. */
const chartHeight = 'h-[clamp(12rem,100cqh-19rem,13rem)] sm:h-[clamp(8rem,100cqh-17rem,13rem)]'

function OneAnswer({ data, openAs = 'chart', label }: AnswerViewProps) {
  const table = readTable(data)
  const meta = metaOf(data)
  const pictures = table ? picturesOf(table, meta) : []
  const comparison = table && comparisonIn(table)
  const headlines = table ? headlinesOf(table, meta) : []
  const blocks = blocksOf(data)
  const { structuredContent: inner, content } = (data ?? {}) as { structuredContent?: unknown; content?: unknown }
  const isDrawn = pictures.length > 0
  const fitting = isDrawn ? 'max-h-full' : 'max-h-80'
  const json = (value: unknown) => <JsonBlock data={value} label={label} className={fitting} />
  const views: View[] = [
    ...pictures.map((picture) => ({
      value: picture.view,
      show: () => <AnswerChart picture={picture} />,
      ...(openAs === 'table' && table && { below: () => <RowsView table={table} className="mt-3 max-h-80" /> }),
    })),
    ...(comparison ? [{ value: 'Comparison', show: () => <ComparisonView comparison={comparison} /> }] : []),
    ...(table ? [{ value: 'Table', show: () => <RowsView table={table} className={fitting} /> }] : []),
    ...(isEmpty(inner) ? [{ value: 'Result', show: () => <p className="text-muted">{text.empty}</p> }] : []),
    ...(blocks ? [{ value: 'Content', show: () => <ContentBlocks blocks={blocks} /> }] : []),
    ...(!table && !isEmpty(inner) && inner !== undefined && content !== undefined
      ? [{ value: 'Result', show: () => json(inner) }]
      : []),
    { value: 'JSON', show: () => json(content === undefined && inner !== undefined ? inner : data) },
  ]
  return (
    <Views openAs={openAs} views={views} height={isDrawn ? chartHeight : undefined} meta={meta}>
      {headlines.slice(0, maxHeadlines).map((headline) => (
        <HeadlineView key={headline.symbol} headline={headline} />
      ))}
    </Views>
  )
}

interface View {
  value: string
  show: () => React.ReactNode
  below?: () => React.ReactNode
}

interface ViewsProps {
  views: readonly View[]
  openAs: AnswerViewProps['openAs']
  height?: string | undefined
  meta?: Meta
  /** The headlines. */
  children?: React.ReactNode
}

function Views({ views, openAs, height, meta = {}, children }: ViewsProps) {
  const [chosen, choose] = useState<string>()
  const first = openAs === 'json' ? 'JSON' : views[0]!.value
  const view = views.find(({ value }) => value === (chosen ?? first)) ?? views[0]!
  return (
    <div className="min-w-0">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-56 flex-wrap gap-x-8 gap-y-3 empty:hidden">{children}</div>
        {views.length > 1 && (
          <Segments
            label={text.views}
            look="wrap"
            value={view.value}
            options={views.map(({ value }) => ({ value, label: value }))}
            onChange={choose}
          />
        )}
      </div>
      <div className={height}>{view.show()}</div>
      {view.below?.()}
      {view.value !== 'JSON' && <Warnings meta={meta} />}
    </div>
  )
}

/** The server's notes about the data, for example that it is old. */
function Warnings({ meta }: { meta: Meta }) {
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

/** A table without rows. */
function isEmpty(inner: unknown): boolean {
  const { rows, data } = (inner ?? {}) as { rows?: unknown; data?: unknown }
  return [rows, data].some((list) => Array.isArray(list) && list.length === 0)
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
