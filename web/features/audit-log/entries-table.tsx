import type { AuditEntry } from '#contract/account-data.ts'
import { formatClock, formatWeekday, formatZone } from '../../lib/format.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useNow } from '../../lib/use-now.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { type AuditRun, byDay } from './by-day.ts'
import { actorText, detailText } from './entry-text.ts'
import { actionText, auditText as text } from './text.ts'

const dayMs = 86_400_000

/** The entries by day, with identical ones of a day collapsed. */
export function EntriesTable({ entries }: { entries: AuditEntry[] }) {
  const now = useNow(60_000)
  const names: Record<string, string> = {
    [formatWeekday(new Date(now.getTime() - dayMs))]: text.yesterday,
    [formatWeekday(now)]: text.today,
  }
  return (
    <Table
      label={pageHeadings['/dashboard/settings/audit-log'].title}
      head={
        <>
          <HeadCell className="max-sm:hidden">{text.time(formatZone(now))}</HeadCell>
          <HeadCell>{text.what}</HeadCell>
          <HeadCell>{text.details}</HeadCell>
          <HeadCell className="max-sm:hidden">{text.who}</HeadCell>
        </>
      }
    >
      {byDay(entries).flatMap(({ day, runs }) =>
        runs.map((run, index) => <Row key={run.entry.id} run={run} day={names[day] ?? day} repeated={index > 0} />),
      )}
    </Table>
  )
}

/** `repeated`: the row above has the same day. */
function Row({ run: { entry, count, since }, day, repeated }: { run: AuditRun; day: string; repeated: boolean }) {
  const { actor } = entry
  const name = actorText(actor)
  const first = formatClock(since)
  const time = formatClock(entry.time)
  return (
    <tr>
      <Cell className="align-top whitespace-nowrap max-sm:hidden">
        <span className="grid grid-cols-[8.25rem_auto]">
          <span className={repeated ? 'sr-only' : undefined}>{day}</span>
          <span className="col-start-2 text-muted">{time}</span>
        </span>
      </Cell>
      <Cell className="align-top sm:whitespace-nowrap">
        <span className="font-strong">{actionText(entry)}</span>
        {count > 1 && <span className="text-muted"> · {text.times(count, first)}</span>}
        {/* A phone has room for two columns: actor and time are below the action. */}
        <span className="block text-small break-words text-muted sm:hidden">
          <bdi>{name}</bdi> · {day}, {time}
        </span>
      </Cell>
      <Cell className="max-w-96 align-top text-muted [overflow-wrap:anywhere] sm:min-w-48">
        <bdi>{detailText(entry)}</bdi>
      </Cell>
      <Cell className="max-w-56 align-top max-sm:hidden" title={actor.name}>
        <span className="flex min-w-0 items-center gap-2">
          {actor.kind === 'user' && (
            <Avatar
              user={{ id: '', email: actor.name, fullName: actor.name, avatarUrl: actor.avatar_url }}
              className="size-5 text-small"
            />
          )}
          <bdi className="truncate">{name}</bdi>
        </span>
      </Cell>
    </tr>
  )
}
