import type { ReactNode } from 'react'

/** A figure, its definition in words, and what it is compared with. */
type Figure = readonly [name: string, value: ReactNode, meaning: string, beside?: ReactNode]

/** Figures side by side, each with its definition. */
export const Figures = ({ figures }: { figures: readonly (Figure | null)[] }) => (
  <dl className="-my-3 grid gap-x-8 sm:grid-cols-2 xl:grid-cols-4">
    {figures
      .filter((one) => one !== null)
      .map(([name, value, meaning, beside]) => (
        <div key={name} className="min-w-0 border-line py-3 max-sm:border-t max-sm:first:border-t-0">
          <dt className="text-muted">{name}</dt>
          <dd className="mt-0.5 text-title font-strong break-words figures">{value}</dd>
          {beside && <dd className="figures">{beside}</dd>}
          <dd className="mt-1 max-w-[36ch] text-small text-pretty text-muted">{meaning}</dd>
        </div>
      ))}
  </dl>
)
