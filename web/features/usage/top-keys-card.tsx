import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Usage } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { usageQuery } from './queries.ts'
import { useRange } from './range-choice.tsx'
import { usageText as text } from './text.ts'

/** The five keys with the most requests in the range, once there are two to compare. */
export function TopKeysCard() {
  const { data } = useQuery(usageQuery(useRange()))
  const top = data?.topApiKeys ?? []
  if (top.length < 2) return null
  return (
    <Card title={text.topKeys} about={text.topKeysAbout}>
      <ol className="space-y-3">
        {top.map((one) => (
          <li key={one.keyId ?? 'playground'}>
            <TopKey {...one} most={top[0]!.requests} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function TopKey({ keyId, name, requests, most }: Usage['topApiKeys'][number] & { most: number }) {
  return (
    <>
      <p className="flex items-baseline justify-between gap-4">
        {keyId ? (
          <Link
            to="/dashboard/api-keys/$keyId"
            params={{ keyId }}
            title={name}
            className="min-w-0 truncate underline-offset-4 hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <span>{name}</span>
        )}
        <span className="shrink-0 figures">{formatWhole(requests)}</span>
      </p>
      <div aria-hidden="true" className="mt-1 h-1.5 rounded-full bg-sunken">
        <div
          className="swatch h-full rounded-full bg-(--chart-success)"
          style={{ width: `${Math.max(1, (100 * requests) / most)}%` }}
        />
      </div>
    </>
  )
}
