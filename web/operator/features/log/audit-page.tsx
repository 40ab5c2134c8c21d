import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { usePages } from '../../lib/read.ts'
import { type Columns, col, Two, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { operatorActionText } from './action-text.ts'
import { factName, factValue } from './fact-text.ts'

/** What operators did, newest first. */
export function AuditPage() {
  const log = usePages('GET /log')
  return (
    <>
      <PageHeader
        title="Audit log"
        about="What operators did, in the console and on the command line. Entries stay when an account is deleted."
      />
      <List
        title="Actions"
        label="Operator actions"
        query={log}
        what="actions"
        rows={log.data?.pages.flatMap(({ entries }) => entries) ?? []}
        columns={columns}
        empty={{
          title: 'No actions yet',
          about: 'Every change that an operator makes appears here with its reason.',
        }}
      />
    </>
  )
}

const columns: Columns<Data<'GET /log'>['entries'][number]> = [
  time('Time (UTC)', ({ at }) => at),
  col('Operator', ({ operator }) => operator),
  col('Action', ({ action, before, after }) => (
    <Two
      main={operatorActionText(action)}
      below={
        <>
          <code className="font-mono">{action}</code> {changeOf(before, after)}
        </>
      }
    />
  )),
  col('Target', ({ account_name, target }) => account_name ?? target),
  col('Reason', 'prose', ({ reason }) => reason),
]

type Side = Record<string, unknown> | null

/** `role: viewer → owner`, a fact for each field that changed. */
function changeOf(before: Side, after: Side): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) =>
      before && after && name in before
        ? `${factName(name)}: ${factValue(before[name])} → ${factValue(after[name])}`
        : `${factName(name)}: ${factValue((after ?? before)?.[name])}`,
    )
    .join(', ')
}
