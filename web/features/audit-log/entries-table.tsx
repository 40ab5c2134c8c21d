import type { AuditEntry } from '#contract/account-data.ts'
import { formatClock, formatWeekday, formatZone } from '../../lib/format.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useNow } from '../../lib/use-now.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Settings } from '../../ui/icons/public.ts'
import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
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
      stacked
      label={pageHeadings['/dashboard/settings/audit-log'].title}
      head={
        <>
          <HeadCell className="max-md:hidden">{text.time(formatZone(now))}</HeadCell>
          <HeadCell>{text.what}</HeadCell>
          <HeadCell>{text.details}</HeadCell>
          <HeadCell className="max-md:hidden">{text.who}</HeadCell>
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
    <StackedRow className="max-md:block max-md:*:block">
      <Cell className="align-top whitespace-nowrap max-md:hidden!">
        <span className="grid grid-cols-[8.25rem_auto] gap-x-4">
          <span className={repeated ? 'sr-only' : undefined}>{day}</span>
          <span className="col-start-2 text-muted">{time}</span>
        </span>
      </Cell>
      <Cell className="align-top md:min-w-64">
        <span className="font-strong">{actionText(entry)}</span>
        {count > 1 && <span className="text-muted"> · {text.times(count, first)}</span>}
      </Cell>
      <Cell className="align-top text-muted [overflow-wrap:anywhere] md:min-w-64">
        <bdi>{detailText(entry)}</bdi>
        {/* On a phone actor and time are below. */}
        <span className="block text-small md:hidden">
          <bdi>{name}</bdi> · {day}, {time}
        </span>
      </Cell>
      <Cell className="max-w-48 align-top max-md:hidden!" title={actor.name}>
        <span className="flex min-w-0 items-start gap-2">
          {actor.kind === 'user' ? (
            <Avatar
              user={{ id: '', email: actor.name, fullName: actor.name, avatarUrl: actor.avatar_url }}
              className="size-5 text-small"
            />
          ) : (
            <Settings aria-hidden="true" className="size-5 shrink-0 p-0.5 text-muted" />
          )}
          <bdi className="line-clamp-2 min-w-20 [overflow-wrap:anywhere]">{name}</bdi>
        </span>
      </Cell>
    </StackedRow>
  )
}
