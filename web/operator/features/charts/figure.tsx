import type { ReactNode } from 'react'

/** A figure with its definition in words beside it. */
export function Figure({
  name,
  value,
  beside,
  meaning,
}: {
  name: string
  value: ReactNode
  /** What it is compared with. */
  beside?: ReactNode
  meaning: string
}) {
  return (
    <div className="min-w-0 border-line py-3 max-sm:border-t max-sm:first:border-t-0">
      <dt className="text-muted">{name}</dt>
      <dd className="mt-0.5 text-title font-strong break-words figures">{value}</dd>
      {beside && <dd className="figures">{beside}</dd>}
      <dd className="mt-1 max-w-[36ch] text-small text-pretty text-muted">{meaning}</dd>
    </div>
  )
}

/** Figures side by side. */
export const Figures = ({ children }: { children: ReactNode }) => (
  <dl className="-my-3 grid gap-x-8 sm:grid-cols-2 xl:grid-cols-4">{children}</dl>
)
