import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { formatAgo, formatMoment, formatWhole } from '../../lib/format.ts'
import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
import { usageQuery } from '../usage/queries.ts'
import { limitsOf } from './key-limits.ts'
import { KeySecret } from './key-secret.tsx'
import { KeySparkline } from './key-sparkline.tsx'
import { keysText } from './text.ts'

interface KeyTableProps {
  keys: ApiKey[]
  now: Date
}

/** The keys, one per row. Each name links to the key's page, which has what does not fit on a phone. */
export function KeyTable({ keys, now }: KeyTableProps) {
  const { data: usage, isPending } = useQuery(usageQuery('30d'))
  return (
    <Table
      stacked
      label={keysText.title}
      head={
        <>
          <HeadCell>Name</HeadCell>
          <HeadCell>Key</HeadCell>
          <HeadCell>{keysText.lastDays}</HeadCell>
          <HeadCell align="right">{keysText.allTime}</HeadCell>
          <HeadCell className="md:pl-8!">{keysText.lastUsed}</HeadCell>
        </>
      }
    >
      {keys.map((key) => (
        <StackedRow key={key.id} className="max-md:flex max-md:flex-wrap max-md:justify-between max-md:gap-x-4">
          <Cell className="max-md:min-w-0 max-md:flex-1 max-md:basis-40 md:w-full md:max-w-0 md:min-w-32">
            <Link
              to="/dashboard/api-keys/$keyId"
              params={{ keyId: key.id }}
              className="block truncate font-strong underline-offset-4 hover:underline"
              title={key.name}
            >
              {key.name}
            </Link>
            <Limits of={key} />
          </Cell>
          <Cell className="md:py-1! max-md:order-1 max-md:w-full max-md:[&>span]:justify-between">
            <KeySecret apiKey={key} />
          </Cell>
          <Cell>
            <KeySparkline
              analytics={usage?.analytics.find(({ unkeyId }) => unkeyId === key.id)}
              waiting={isPending}
              now={now}
            />
          </Cell>
          <Cell align="right" className="whitespace-nowrap max-md:order-1 max-md:text-small max-md:text-muted">
            <OnPhone label={keysText.usageCount} />
            <span>{formatWhole(key.usage_count)}</span>
          </Cell>
          <Cell
            className="whitespace-nowrap text-muted max-md:order-1 max-md:text-small md:pl-8!"
            title={formatMoment(key.last_used_at)}
          >
            <OnPhone label={keysText.lastUsed} />
            {formatAgo(key.last_used_at, now, keysText.never)}
          </Cell>
        </StackedRow>
      ))}
    </Table>
  )
}

function Limits({ of }: { of: ApiKey }) {
  const limits = limitsOf(of)
  return limits.length > 0 && <p className="text-small text-muted">{limits.join(' · ')}</p>
}

/** The column name where the header is hidden. Screen readers still have the header. */
const OnPhone = ({ label }: { label: string }) => (
  <span aria-hidden="true" className="md:hidden">
    {label}:{' '}
  </span>
)
