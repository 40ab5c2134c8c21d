import { formatBytes } from '../../../lib/format.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { type Columns, col, figure, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'

type Health = Data<'GET /health'>

const useHealth = () => useRead('GET /health', {}, { everyMs: 30_000 })

/** Checks, size, instances and backups. */
export const StateCards = () => (
  <Loaded query={useHealth()} what="checks" bars={['h-40', 'h-40', 'h-40']}>
    {({ checks, database, instances: servers, backups: runs }) => (
      <>
        {checks.map((check) => (
          <CheckCard key={check.name} check={check} />
        ))}
        <SizeCard database={database} />
        <List
          title="Running servers"
          about="Servers that reported in the last 30 seconds, and what they cannot serve."
          rows={servers}
          columns={instances}
          empty={{ about: 'No server has reported yet.' }}
        />
        <List
          title="Backups and restore drills"
          about="The last 20 runs of npm run backup and npm run restore -- --drill."
          rows={runs}
          columns={backups}
          empty={{ about: 'No backups yet. Run npm run backup on a machine that can reach the database.' }}
        />
      </>
    )}
  </Loaded>
)

/** Recurring jobs, and the settings in force. */
export const SettingsCards = () => (
  <Loaded query={useHealth()} what="settings" bars={['h-40', 'h-40']}>
    {(health) => (
      <>
        <List
          title="Recurring jobs"
          about="Each job runs on one server at a time. Failed runs are under Deliveries, Jobs."
          rows={health.jobs}
          columns={jobs}
          empty={{ about: 'Jobs appear after a server has run them.' }}
        />
        <List
          title="Settings in force"
          about="Numbers and choices are shown with their value. Other settings may hold a secret, so only whether they are set is shown."
          rows={health.settings}
          columns={settings}
          empty={{ about: '' }}
        />
      </>
    )}
  </Loaded>
)

const code = (text: string) => <code className="font-mono">{text}</code>

const instances: Columns<Health['instances'][number]> = [
  col('Server', 'line', ({ name }) => name),
  time('Last report (UTC)', ({ seen_at }) => seen_at),
  col('Problems', 'rest', ({ problems }) => problems.join('; ') || 'None'),
]
const backups: Columns<Health['backups'][number]> = [
  col('Kind', 'line', ({ kind }) => (kind === 'drill' ? 'Restore drill' : 'Backup')),
  time('Time (UTC)', ({ at }) => at),
  col('Result', ({ ok }) => <Badge tone={ok ? 'success' : 'danger'}>{ok ? 'Successful' : 'Failed'}</Badge>),
  col('Details', 'rest', ({ detail }) => detail),
]
const jobs: Columns<Health['jobs'][number]> = [
  col('Job', 'line', ({ name }) => code(name)),
  time('Last run (UTC)', ({ last_run_at }) => last_run_at, 'Not yet'),
]
const settings: Columns<Health['settings'][number]> = [
  col('Setting', 'line', ({ name }) => code(name)),
  col('Value', 'line', ({ value, set }) => value ?? (set ? 'Set' : 'Not set')),
  col('What it does', 'rest', ({ about }) => <span className="text-small text-muted">{about}</span>),
]

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

const levels = {
  wrong: { rank: 0, tone: 'danger', word: 'Failed' },
  note: { rank: 1, tone: 'neutral', word: 'Note' },
  ok: { rank: 2, tone: 'success', word: 'OK' },
} as const

function CheckCard({ check: { name, ran_at, lines } }: { check: Health['checks'][number] }) {
  const { empty, ...words } = checkTexts[name]
  return (
    <Card {...words} aside={ran_at && <span className="text-small text-muted">{utcTime(ran_at)} UTC</span>}>
      {lines.length === 0 && <p className="text-muted">{empty}</p>}
      <ul className="space-y-2">
        {lines
          .toSorted((a, b) => levels[a.level].rank - levels[b.level].rank)
          .map(({ level, text }) => (
            <li key={text} className="flex items-start gap-3">
              <span className="w-16 shrink-0">
                <Badge tone={levels[level].tone}>{levels[level].word}</Badge>
              </span>
              <span className="min-w-0 break-words">{text}</span>
            </li>
          ))}
      </ul>
    </Card>
  )
}

const signed = (bytes: number) => `${bytes < 0 ? '−' : '+'}${formatBytes(Math.abs(bytes))}`
const sizes: Columns<{ day: string; bytes: number; grown: number | null }> = [
  col('Day (UTC)', ({ day }) => day),
  figure('Size', ({ bytes }) => bytes, { cell: ({ bytes }) => formatBytes(bytes) }),
  figure('Growth', ({ grown }) => grown ?? 0, { cell: ({ grown }) => (grown === null ? '–' : signed(grown)) }),
]

function SizeCard({ database: { bytes, days } }: { database: Health['database'] }) {
  const [first, last] = [days[0], days.at(-1)]
  const since = first && last && first !== last ? `, ${signed(last.bytes - first.bytes)} since ${first.day}` : ''
  const rows = days.map((one, at) => ({ ...one, grown: at > 0 ? one.bytes - days[at - 1]!.bytes : null }))
  return (
    <List
      title="Database"
      about={`${formatBytes(bytes)} now${since}. The last size of each day (UTC); today is not over.`}
      rows={rows.reverse().slice(0, 14)}
      columns={sizes}
      keyOf={({ day }) => day}
      empty={{ about: 'The first size is recorded within ten minutes.' }}
    />
  )
}
