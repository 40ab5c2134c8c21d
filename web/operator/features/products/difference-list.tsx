import { type Columns, col, shownOr } from '../../ui/columns.tsx'
import { Rows } from '../../ui/rows.tsx'
import type { Difference } from './field-text.ts'

interface DifferenceTableProps {
  label: string
  changes: readonly Difference[]
  /** Names of the two versions. */
  before: string
  after: string
}

/** What two versions of a product differ in, side by side. */
export function DifferenceTable({ label, changes, before, after }: DifferenceTableProps) {
  const columns: Columns<Difference> = [
    col('Field', 'line', (change) => change.label),
    col(before, (change) => <span className="whitespace-pre-line text-muted">{shownOr(change.before, '—')}</span>),
    col(after, (change) => <span className="whitespace-pre-line">{change.after}</span>),
  ]
  return <Rows label={label} columns={columns} rows={changes} keyOf={(change) => change.label} />
}

/** `Price: $19.00 monthly → $29.00 monthly`, a line for each field; long texts only by name. */
export function DifferenceList({ changes }: { changes: readonly Difference[] }) {
  return (
    <ul className="list-disc space-y-0.5 pl-5 figures">
      {changes.map(({ label, before, after }) => {
        const isLong = Math.max(after.length, before?.length ?? 0) > 40
        return (
          <li key={label}>
            {label}
            {isLong ? ': changed' : `: ${before === null ? '' : `${before} → `}${after}`}
          </li>
        )
      })}
    </ul>
  )
}
