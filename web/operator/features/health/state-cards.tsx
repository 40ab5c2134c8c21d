import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatBytes } from '../../../lib/format.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call, type Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'

type Health = Data<'GET /health'>

const healthQuery = {
  queryKey: ['operator', 'health'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /health', { signal }),
  refetchInterval: 30_000,
}

/** Checks, size, instances and backups. */
export function StateCards() {
  const health = useQuery(healthQuery)
  if (!health.data)
    return (
      <Card title="Checks">
        <QueryState
          query={health}
          loading="Loading the checks"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The checks could not be loaded."
        />
      </Card>
    )
  const { checks, database, instances, backups } = health.data
  return (
    <>
      {checks.map((check) => (
        <CheckCard key={check.name} check={check} />
      ))}
      <SizeCard database={database} />
      <ListCard
        title="Running servers"
        about="Servers that reported in the last 30 seconds, and what they cannot serve."
        empty="No server has reported yet."
        heads={['Server', 'Last report (UTC)', 'Problems']}
        rows={instances.map(({ name, seen_at, problems }) => [name, utcTime(seen_at), problems.join('; ') || 'None'])}
      />
      <ListCard
        title="Backups and restore drills"
        about="The last 20 runs of npm run backup and npm run restore -- --drill."
        empty="No backups yet. Run npm run backup on a machine that can reach the database."
        heads={['Kind', 'Time (UTC)', 'Result', 'Details']}
        rows={backups.map(({ kind, at, ok, detail }) => [
          kind === 'drill' ? 'Restore drill' : 'Backup',
          utcTime(at),
          <Badge key="outcome" tone={ok ? 'success' : 'danger'}>
            {ok ? 'Successful' : 'Failed'}
          </Badge>,
          detail,
        ])}
      />
    </>
  )
}

/** Recurring jobs, and the settings in force. */
export function SettingsCards() {
  const health = useQuery(healthQuery)
  if (!health.data)
    return (
      <Card title="Settings in force">
        <QueryState
          query={health}
          loading="Loading the checks"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The settings could not be loaded."
        />
      </Card>
    )
  const { jobs, settings } = health.data
  return (
    <>
      <ListCard
        title="Recurring jobs"
        about="Each job runs on one server at a time. Failed runs are under Deliveries, Jobs."
        empty="Jobs appear after a server has run them."
        heads={['Job', 'Last run (UTC)']}
        rows={jobs.map(({ name, last_run_at }) => [
          <code key="name" className="font-mono">
            {name}
          </code>,
          last_run_at ? utcTime(last_run_at) : 'Not yet',
        ])}
      />
      <ListCard
        title="Settings in force"
        about="Numbers and choices are shown with their value. Other settings may hold a secret, so only whether they are set is shown."
        empty=""
        heads={['Setting', 'Value', 'What it does']}
        rows={settings.map(({ name, set, value, about }) => [
          <code key="name" className="font-mono">
            {name}
          </code>,
          value ?? (set ? 'Set' : 'Not set'),
          <span key="about" className="text-small text-muted">
            {about}
          </span>,
        ])}
      />
    </>
  )
}

const checkTexts: Record<Health['checks'][number]['name'], { title: string; about: string; empty: string }> = {
  doctor: {
    title: 'Doctor',
    about: 'The checks of npm run doctor. A server runs them every ten minutes, for at most 30 seconds.',
    empty: 'The first run is within ten minutes.',
  },
  invariants: {
    title: 'Credit checks',
    about: 'Every night, balances are compared with the ledger and its sums.',
    empty: 'The first check is at 03:33 UTC.',
  },
  'billing invariants': {
    title: 'Billing checks',
    about: 'Every night, subscriptions, invoices and refunds are compared with the payment provider.',
    empty: 'The first check is at 04:03 UTC.',
  },
}

const tones = { ok: 'success', wrong: 'danger', note: 'neutral' } as const
const words = { ok: 'OK', wrong: 'Failed', note: 'Note' } as const
const rank = { wrong: 0, note: 1, ok: 2 } as const

function CheckCard({ check: { name, ran_at, lines } }: { check: Health['checks'][number] }) {
  const { title, about, empty } = checkTexts[name]
  const sorted = lines.toSorted((a, b) => rank[a.level] - rank[b.level])
  return (
    <Card
      title={title}
      about={about}
      aside={ran_at && <span className="text-small text-muted">{utcTime(ran_at)} UTC</span>}
    >
      {sorted.length === 0 && <p className="text-muted">{empty}</p>}
      <ul className="space-y-2">
        {sorted.map(({ level, text }) => (
          <li key={text} className="flex items-start gap-3">
            <span className="w-16 shrink-0">
              <Badge tone={tones[level]}>{words[level]}</Badge>
            </span>
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function SizeCard({ database: { bytes, days } }: { database: Health['database'] }) {
  const [first, last] = [days[0], days.at(-1)]
  const grown = first && last && first !== last ? last.bytes - first.bytes : null
  return (
    <ListCard
      title="Database"
      about={`${formatBytes(bytes)} now${grown === null ? '' : `, ${grown < 0 ? 'down' : 'up'} ${formatBytes(Math.abs(grown))} since ${first!.day}`}. The last size of each day (UTC); today is not over.`}
      empty="The first size is recorded within ten minutes."
      heads={['Day (UTC)', 'Size', 'Growth']}
      right={[1, 2]}
      rows={days
        .map((one, index) => {
          const before = days[index - 1]
          const by = before ? one.bytes - before.bytes : null
          return [
            one.day,
            formatBytes(one.bytes),
            by === null ? '–' : `${by < 0 ? '−' : '+'}${formatBytes(Math.abs(by))}`,
          ]
        })
        .reverse()
        .slice(0, 14)}
    />
  )
}

interface ListCardProps {
  title: string
  about: string
  empty: string
  heads: string[]
  rows: ReactNode[][]
  /** Columns of figures. */
  right?: number[]
}

function ListCard({ title, about, empty, heads, rows, right = [] }: ListCardProps) {
  const align = (column: number) => (right.includes(column) ? 'right' : 'left')
  return (
    <Card title={title} about={about} flush={rows.length > 0}>
      {rows.length === 0 && <EmptyState title="Nothing yet" about={empty} />}
      {rows.length > 0 && (
        <Table
          label={title}
          head={heads.map((head, column) => (
            <HeadCell key={head} align={align(column)}>
              {head}
            </HeadCell>
          ))}
        >
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are replaced as a whole
            <tr key={index} className="align-top">
              {row.map((cell, column) => (
                <Cell
                  key={heads[column]}
                  align={align(column)}
                  className={column < row.length - 1 ? 'whitespace-nowrap' : 'min-w-64 break-words'}
                >
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
