import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Skeleton } from '../../ui/skeleton.tsx'
import { usageQuery } from '../usage/queries.ts'
import { useRange } from '../usage/range-choice.tsx'
import { type Figure, latencyFigure, notSucceededFigure, rangeText, succeededFigure } from './figure-notes.ts'
import { overviewText as text } from './text.ts'

/** What succeeded and what did not in the range, and its latency. */
export function Figures() {
  const range = useRange()
  const { data: usage, isError } = useQuery(usageQuery(range))
  const before = usage?.previous ?? null
  return (
    <section aria-label={text.figures}>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line max-sm:[&>:first-child]:col-span-2 sm:grid-cols-3">
        <Tile label={text.succeeded} figure={usage && succeededFigure(usage, before)} failed={isError} />
        <Tile label={text.notSucceeded} figure={usage && notSucceededFigure(usage)} failed={isError} />
        <Tile label={text.latency} figure={usage && latencyFigure(usage, before)} failed={isError} />
      </dl>
      <p className="mt-2 min-h-8 text-small text-muted sm:min-h-4">{usage && rangeText(range, before)}</p>
    </section>
  )
}

interface TileProps {
  label: ReactNode
  /** Undefined until it is known, and always if `failed`. The cards below say why. */
  figure: Figure | undefined
  failed: boolean
}

const Tile = ({ label, figure, failed }: TileProps) => (
  <div className="bg-surface px-4 py-3 sm:px-5">
    <dt className="text-muted">{label}</dt>
    {figure ? (
      <>
        <dd className="mt-0.5 text-title font-strong figures">{figure.value}</dd>
        <dd className="mt-0.5 min-h-8 text-small text-muted figures sm:min-h-4">{figure.note}</dd>
      </>
    ) : (
      <dd className="mt-0.5 min-h-16 text-muted sm:min-h-12">
        {failed ? text.unknown : <Skeleton className="mt-1 h-6 w-20" />}
      </dd>
    )}
  </div>
)
