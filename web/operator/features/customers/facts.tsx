import type { ReactNode } from 'react'

/** Facts beside one another: a name, its value, and what it means where the name does not say it. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode, about?: string])[] }) => (
  <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
    {facts.map(([name, value, about]) => (
      <div key={name} className="min-w-0">
        <dt className="text-small text-muted">{name}</dt>
        <dd className="mt-0.5 figures [overflow-wrap:anywhere]">
          {value}
          {about && <p className="text-small text-pretty text-muted">{about}</p>}
        </dd>
      </div>
    ))}
  </dl>
)
