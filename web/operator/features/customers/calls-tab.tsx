import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Segments } from '../../../ui/segments.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { usePages } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, figure } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

/** Calls with receipts, newest first. */
export function CallsTab() {
  const id = useRouteId()
  const { status }: { status?: 'success' | 'failed' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const query = usePages(
    'GET /customers/{id}/calls',
    { params: { id }, query: { limit: 50, ...(status && { status }) } },
    'cursor',
  )
  return (
    <List
      title="Calls"
      about="Metered calls, newest first. A receipt explains its charge."
      query={query}
      what="calls"
      rows={query.data?.pages.flatMap(({ receipts }) => receipts) ?? []}
      columns={columns}
      empty={{
        title: status ? 'No matching calls' : 'No calls yet',
        about: query.hasNextPage
          ? 'None of the newest calls match. Show older calls to search further.'
          : 'Calls appear here within seconds.',
      }}
      aside={
        <Segments
          label="Result"
          look="frame"
          value={status ?? 'all'}
          options={[
            { value: 'all', label: 'All' },
            { value: 'success', label: 'Successful' },
            { value: 'failed', label: 'Failed' },
          ]}
          onChange={(value) =>
            navigate({ to: '.', search: (value === 'all' ? {} : { status: value }) as never, replace: true })
          }
        />
      }
    />
  )
}

const columns: Columns<Data<'GET /customers/{id}/calls'>['receipts'][number]> = [
  col('Time (UTC)', 'line', (one) => one.time.slice(0, 19).replace('T', ' ')),
  col('Tool', 'code', (one) => one.tool),
  col('Result', ({ status }) =>
    status === 'success' ? <Badge tone="success">Successful</Badge> : <Badge tone="danger">Failed</Badge>,
  ),
  figure('Credits', (one) => one.credits),
  figure('Duration', (one) => one.durationMs, { cell: (one) => `${count(one.durationMs)} ms` }),
  col('Key', (one) => <bdi className="block max-w-[20ch] truncate">{one.keyName}</bdi>),
  col('Receipt', ({ id }) => (
    <Link
      to="/receipts/$id"
      params={{ id }}
      className="block w-[16ch] truncate font-mono text-small underline underline-offset-4"
    >
      {id}
    </Link>
  )),
]
