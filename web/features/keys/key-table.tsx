import { Link } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { formatAgo, formatDate, formatMoment, formatWhole } from '../../lib/format.ts'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { KeySecret } from './key-secret.tsx'
import { keysText } from './text.ts'

/** The keys, one a row; each name leads to the key's page. */
export function KeyTable({ keys, now }: { keys: ApiKey[]; now: Date }) {
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
          <Cell className="max-w-72 min-w-36">
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
          <Cell align="right">{formatWhole(key.usage_count)}</Cell>
          <Cell className="whitespace-nowrap text-muted" title={formatMoment(key.last_used_at)}>
            {formatAgo(key.last_used_at, now, keysText.never)}
          </Cell>
          <Cell className="whitespace-nowrap text-muted">{formatDate(key.created_at)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
