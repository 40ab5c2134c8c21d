import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Check } from '../../ui/icons/public.ts'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'

interface PlanCardProps {
  /** Depends on the headings of the page. */
  heading?: 'h2' | 'h3'
  name: string
  about: string
  price: string
  per: string
  /** Shown below the price; adjacent cards leave the same space. */
  note?: string
  features: readonly string[]
  badge?: ReactNode
  /** Stands out among the others. */
  marked?: boolean
  action?: ReactNode
  /** Opened by the action. */
  dialog?: ReactNode
}

/** A plan: name, price, features and action. */
export function PlanCard({ heading: Heading = 'h3', name, about, price, per, note, features, ...rest }: PlanCardProps) {
  return (
    <li
      className={clsx(
        // Each part is a grid row that adjacent cards share, so that the parts align.
        'row-span-6 grid min-w-0 grid-rows-subgrid gap-y-0 rounded-card border bg-surface p-5',
        rest.marked ? 'border-accent-line' : 'border-line',
      )}
    >
      <div className="flex min-h-6 items-start justify-between gap-2">
        <Heading tabIndex={-1} className="min-w-0 text-prose font-strong [overflow-wrap:anywhere]">
          {name}
        </Heading>
        {rest.badge}
      </div>
      <p className="mt-2 flex flex-wrap items-baseline gap-x-1.5">
        <span className="text-title font-strong figures">{price}</span> <span className="text-muted">{per}</span>
      </p>
      <p className="text-muted max-sm:empty:hidden">{note}</p>
      <p className={note === undefined ? 'mt-1 text-muted' : 'mt-2'}>{about}</p>
      <ul className="mt-4 space-y-1.5 border-t border-line pt-4">
        {features.map((feature) => (
          <li key={feature} className="flex gap-2">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0">{feature}</span>
          </li>
        ))}
      </ul>
      <div className="pt-6 empty:pt-0">
        {rest.action}
        {rest.dialog}
      </div>
    </li>
  )
}

interface PlansLoadingProps {
  label: string
  className: string
  count?: number
}

/** The skeletons of plan cards. */
export function PlansLoading({ label, className, count = 3 }: PlansLoadingProps) {
  return (
    <Loading label={label} className={className}>
      {Array.from({ length: count }, (_, card) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: skeletons never move
        <div key={card} className="rounded-card border border-line bg-surface p-5">
          <Skeleton className="h-5 w-24" />
          <Skeleton className="mt-3 h-8 w-32" />
          <Skeleton className="mt-3 h-4 w-4/5" />
          <div className="mt-5 space-y-3 border-t border-line pt-4">
            {['w-3/4', 'w-2/3', 'w-1/2'].map((width) => (
              <Skeleton key={width} className={`h-4 ${width}`} />
            ))}
          </div>
          <Skeleton className="mt-7 h-9 w-full" />
        </div>
      ))}
    </Loading>
  )
}
