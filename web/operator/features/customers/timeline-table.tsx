import { actorText, detailText } from '../../../features/audit-log/entry-text.ts'
import { actionText } from '../../../features/audit-log/text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'

export type TimelineEntry = Data<'GET /customers/{id}/timeline'>['entries'][number]

export const TimelineTable = ({ entries }: { entries: readonly TimelineEntry[] }) => (
  <Table
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
      <tr key={entry.key} className="align-top">
        <Cell className="whitespace-nowrap">{utcTime(entry.at)}</Cell>
        <Cell className="max-w-[28ch] min-w-[14ch] [overflow-wrap:anywhere]">
          <bdi>{nameOf(entry)}</bdi> {entry.by_operator && <Badge tone="accent">Operator</Badge>}
        </Cell>
        <Cell className="w-full min-w-[26ch] text-pretty">
          {actionText(entry)}
          <p className="text-small text-muted [overflow-wrap:anywhere]">{detailOf(entry)}</p>
          {entry.reason && <p className="text-small">Reason: {entry.reason}</p>}
        </Cell>
      </tr>
    ))}
  </Table>
)

const nameOf = ({ by, by_operator }: TimelineEntry): string =>
  by_operator
    ? by === 'operator'
      ? 'command line'
      : by
    : actorText({ kind: by.includes('_') ? 'system' : 'user', name: by, avatar_url: null, you: false })

const detailOf = ({ at, action, target, detail }: TimelineEntry): string =>
  detailText({
    id: 0,
    time: at,
    action,
    target,
    detail,
    actor: { kind: 'system', name: '', avatar_url: null, you: false },
  })
