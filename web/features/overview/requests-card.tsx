import { useQuery } from '@tanstack/react-query'
import { Skeleton } from '../../ui/skeleton.tsx'
import { kinds } from '../usage/legend.tsx'
import { usageQuery } from '../usage/queries.ts'
import { useRange } from '../usage/range-choice.tsx'
import { UsageCard } from '../usage/usage-card.tsx'
import { type Figure, figuresOf, latencyFigure, rangeText } from './figure-notes.ts'
import { overviewText as text } from './text.ts'

/** The requests of the range in one card: figures by result, in the colors of the chart below them, and the latency. */
export function RequestsCard({ keys }: { keys: Parameters<typeof UsageCard>[0]['keys'] }) {
  const range = useRange()
  const { data: usage, isError } = useQuery(usageQuery(range))
  const before = usage?.previous ?? null
  const figures = usage && figuresOf(usage, before)
  return (
    <UsageCard
      keys={keys}
      choice={false}
      about={usage ? rangeText(range, before) : '\u00a0'}
      figures={
        <section aria-label={text.figures} className="mb-4">
          <dl className="grid grid-cols-2 gap-x-5 gap-y-3 sm:grid-cols-4">
            {kinds.map(({ key, label, color }) => (
              <Tile key={key} label={label} color={color} figure={figures?.[key]} failed={isError} />
            ))}
            <Tile label={text.latency} figure={usage && latencyFigure(usage, before)} failed={isError} />
          </dl>
        </section>
      }
    />
  )
}

interface TileProps {
  label: string
  /** Of these requests in the chart, if there are any. */
  color?: string
  /** Undefined until it is known, and always if `failed`. The card says why. */
  figure: Figure | undefined
  failed: boolean
}

const Tile = ({ label, color, figure, failed }: TileProps) => (
  <div>
    <dt className="flex items-center gap-2 text-muted">
      {color && figure && figure.value !== '0' && (
        <span style={{ background: color }} className="swatch size-2 shrink-0 rounded-[2px]" />
      )}
      {label}
    </dt>
    {figure ? (
      <>
        <dd className="mt-0.5 text-title font-strong figures">{figure.value}</dd>
        <dd className="min-h-8 text-small text-muted figures">{figure.note}</dd>
      </>
    ) : (
      <dd className="mt-0.5 min-h-16 text-muted">{failed ? text.unknown : <Skeleton className="mt-1 h-6 w-16" />}</dd>
    )}
  </div>
)
