import { actorText, detailText } from '../../../features/audit-log/entry-text.ts'
import { actionText } from '../../../features/audit-log/text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Cell, HeadCell, StackedRow, Table } from '../../../ui/table.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { operatorActionText } from '../log/action-text.ts'
import { factName, factValue } from '../log/fact-text.ts'

export type TimelineEntry = Data<'GET /customers/{id}/timeline'>['entries'][number]

export const noTimeline = { about: 'Sign-ups, keys, plans and operator actions appear here.' }

export const TimelineTable = ({ entries }: { entries: readonly TimelineEntry[] }) => (
  <Table
    stacked
    label="Timeline"
    head={
      <>
        <HeadCell>Time (UTC)</HeadCell>
        <HeadCell>By</HeadCell>
        <HeadCell>What happened</HeadCell>
      </>
    }
  >
    {entries.map((entry) => (
      <StackedRow key={entry.key} className="align-top max-md:grid max-md:grid-cols-1">
        <Cell className="whitespace-nowrap max-md:text-small max-md:text-muted">{utcTime(entry.at)}</Cell>
        <Cell className="max-w-[28ch] [overflow-wrap:anywhere] max-md:text-small md:min-w-[22ch]">
          <bdi>{nameOf(entry)}</bdi> {entry.by_operator && <Badge tone="accent">Operator</Badge>}
        </Cell>
        <Cell className="text-pretty md:w-full md:min-w-[26ch]">
          {entry.by_operator ? operatorActionText(entry.action) : actionText(entry)}
          <p className="text-small text-muted [overflow-wrap:anywhere]">
            {entry.by_operator ? factsOf(entry) : detailOf(entry)}
          </p>
          {entry.reason && <p className="text-small">Reason: {entry.reason}</p>}
        </Cell>
      </StackedRow>
    ))}
  </Table>
)

const nameOf = ({ by, by_operator }: TimelineEntry): string =>
  by_operator
    ? by === 'operator'
      ? 'Command line'
      : by
    : actorText({ kind: by.includes('_') ? 'system' : 'user', name: by, avatar_url: null, you: false })

const factsOf = ({ detail }: TimelineEntry): string =>
  Object.entries(detail)
    .map(([name, value]) => `${factName(name)}: ${factValue(value)}`)
    .join(', ')

const detailOf = ({ at, action, target, detail }: TimelineEntry): string =>
  detailText({
    id: 0,
    time: at,
    action,
    target,
    detail,
    actor: { kind: 'system', name: '', avatar_url: null, you: false },
  })
