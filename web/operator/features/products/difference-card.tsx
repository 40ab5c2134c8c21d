import type { ReactNode } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import type { Difference } from './field-text.ts'

interface DifferenceCardProps {
  title: string
  about?: ReactNode
  changes: readonly Difference[]
  /** Names of the two versions. */
  before: string
  after: string
  none: string
  footer?: ReactNode
}

/** What two versions of a product differ in, side by side. */
export function DifferenceCard({ title, about, changes, before, after, none, footer }: DifferenceCardProps) {
  return (
    <Card title={title} about={about} flush={changes.length > 0} footer={footer}>
      {changes.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <Table
          label={title}
          head={
            <>
              <HeadCell>Field</HeadCell>
              <HeadCell>{before}</HeadCell>
              <HeadCell>{after}</HeadCell>
            </>
          }
        >
          {changes.map((change) => (
            <tr key={change.label} className="align-top">
              <Cell className="whitespace-nowrap">{change.label}</Cell>
              <Cell className="whitespace-pre-line text-muted">{change.before ?? '—'}</Cell>
              <Cell className="whitespace-pre-line">{change.after}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
