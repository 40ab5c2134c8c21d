import { Badge } from '../../../ui/badge.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { type Columns, col, figure, summed, Two, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import type { Upstream } from './queries.ts'

const breakers = { closed: 'Calls go through', open: 'No calls: it could not be reached', trying: 'Trying one call' }

type Server = Upstream['servers'][number]
export const msText = (ms: number | null) => (ms === null ? '–' : `${count(ms)} ms`)

/** What each running server serves, and how its calls went; below it, what was noted about answers. */
export function ServersCard({ upstream: { servers, state, notes } }: { upstream: Upstream }) {
  const answers = notes.filter(({ kind }) => kind === 'answer')
  return (
    <List
      title="Running servers"
      about="What each server reported in the last 30 seconds. Durations include the network. p95: 95 of 100 calls were faster."
      rows={servers}
      keyOf={({ name }) => name}
      columns={columns}
      empty={{
        title: 'No reports',
        about:
          state === 'published'
            ? 'No server has reported in the last 30 seconds.'
            : 'Nothing is published, so servers report nothing.',
      }}
      footer={
        answers.length > 0 && (
          <ul className="list-disc space-y-1 pl-4 text-warning">
            {answers.map(({ operation, problem, times, seen_at }) => (
              <li key={operation}>
                {operation}: a response did not match its description ({problem}),{' '}
                {times === 1 ? 'once' : `${count(times)} times`}, most recently {utcTime(seen_at)} UTC
              </li>
            ))}
          </ul>
        )
      }
    />
  )
}

const columns: Columns<Server> = [
  col('Server', 'name', ({ name }) => name),
  col('Serves', ({ version, problem }) => (
    <Two
      main={version === null ? 'Nothing' : `Version ${version}`}
      below={problem && <span className="text-danger">{problem}</span>}
    />
  )),
  col(
    'Connection',
    ({ breaker }) => breaker && <Badge tone={breaker === 'closed' ? 'success' : 'danger'}>{breakers[breaker]}</Badge>,
  ),
  summed('Calls', ({ calls }) => calls),
  summed('Failed', ({ failed }) => failed),
  figure('p50', (one) => one.p50_ms ?? 0, { cell: (one) => msText(one.p50_ms) }),
  figure('p95', (one) => one.p95_ms ?? 0, { cell: (one) => msText(one.p95_ms) }),
  time('Since (UTC)', ({ since }) => since, '–'),
]
