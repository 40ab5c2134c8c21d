import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import type { Upstream } from './queries.ts'

const breakers = { closed: 'Calls go through', open: 'No calls: it could not be reached', trying: 'Trying one call' }

/** What each running server serves, and how its calls went; below it, what was noted about answers. */
export function ServersCard({ upstream: { servers, state, notes } }: { upstream: Upstream }) {
  const answers = notes.filter(({ kind }) => kind === 'answer')
  return (
    <Card
      title="Running servers"
      about="What each server reported in the last 30 seconds. Durations include the network. p95: 95 of 100 calls were faster."
      flush={servers.length > 0}
    >
      {servers.length === 0 && (
        <p className="text-muted">
          {state === 'published'
            ? 'No server has reported in the last 30 seconds.'
            : 'Nothing is published, so servers report nothing.'}
        </p>
      )}
      {servers.length > 0 && (
        <Table
          label="Running servers"
          head={
            <>
              <HeadCell>Server</HeadCell>
              <HeadCell>Serves</HeadCell>
              <HeadCell>Connection</HeadCell>
              <HeadCell align="right">Calls</HeadCell>
              <HeadCell align="right">Failed</HeadCell>
              <HeadCell align="right">p50</HeadCell>
              <HeadCell align="right">p95</HeadCell>
              <HeadCell>Since (UTC)</HeadCell>
            </>
          }
        >
          {servers.map((one) => (
            <tr key={one.name} className="align-top">
              <Cell className="min-w-[18ch]">{one.name}</Cell>
              <Cell className="max-w-[36ch]">
                {one.version === null ? 'Nothing' : `Version ${one.version}`}
                {one.problem && <p className="text-danger">{one.problem}</p>}
              </Cell>
              <Cell>
                {one.breaker && (
                  <Badge tone={one.breaker === 'closed' ? 'success' : 'danger'}>{breakers[one.breaker]}</Badge>
                )}
              </Cell>
              <Cell align="right">{count(one.calls)}</Cell>
              <Cell align="right">{count(one.failed)}</Cell>
              <Cell align="right">{one.p50_ms === null ? '–' : `${count(one.p50_ms)} ms`}</Cell>
              <Cell align="right">{one.p95_ms === null ? '–' : `${count(one.p95_ms)} ms`}</Cell>
              <Cell className="whitespace-nowrap">{one.since === null ? '–' : utcTime(one.since)}</Cell>
            </tr>
          ))}
        </Table>
      )}
      {answers.length > 0 && (
        <ul className="list-disc space-y-1 px-5 py-3 pl-9 text-warning">
          {answers.map(({ operation, problem, times, seen_at }) => (
            <li key={operation}>
              {operation}: a response did not match its description ({problem}),{' '}
              {times === 1 ? 'once' : `${count(times)} times`}, most recently {utcTime(seen_at)} UTC
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
