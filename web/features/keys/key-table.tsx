import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { formatAgo, formatDate, formatMoment, formatWhole } from '../../lib/format.ts'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { usageQuery } from '../usage/queries.ts'
import { KeySecret } from './key-secret.tsx'
import { KeySparkline } from './key-sparkline.tsx'
import { keysText } from './text.ts'

interface KeyTableProps {
  keys: ApiKey[]
  now: Date
  /** Draws the requests of the last 30 days beside each count. */
  trends?: boolean
}

/** The keys, one a row; each name leads to the key's page. */
export function KeyTable({ keys, now, trends = false }: KeyTableProps) {
  const { data: usage } = useQuery({ ...usageQuery('30d'), enabled: trends })
  return (
    <Table
      label={keysText.title}
      head={
        <>
          <HeadCell>Name</HeadCell>
          <HeadCell>Key</HeadCell>
          <HeadCell align="right">{keysText.usageCount}</HeadCell>
          <HeadCell>{keysText.lastUsed}</HeadCell>
          <HeadCell>Created</HeadCell>
        </>
      }
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <Cell className="max-w-72 min-w-32 sm:min-w-36">
            <Link
              to="/dashboard/api-keys/$keyId"
              params={{ keyId: key.id }}
              className="block truncate font-strong underline-offset-4 hover:underline"
              title={key.name}
            >
              {key.name}
            </Link>
          </Cell>
          <Cell className="py-1">
            <KeySecret apiKey={key} />
          </Cell>
          <Cell align="right" className="whitespace-nowrap">
            {trends && usage && (
              <span className="mr-3 align-middle">
                <KeySparkline analytics={usage.analytics.find(({ unkeyId }) => unkeyId === key.id)} now={now} />
              </span>
            )}
            <span className="inline-block min-w-[4ch]">{formatWhole(key.usage_count)}</span>
          </Cell>
          <Cell className="whitespace-nowrap text-muted" title={formatMoment(key.last_used_at)}>
            {formatAgo(key.last_used_at, now, keysText.never)}
          </Cell>
          <Cell className="whitespace-nowrap text-muted">{formatDate(key.created_at)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
