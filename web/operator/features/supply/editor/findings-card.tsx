import type { ReactNode } from 'react'
import { Badge } from '../../../../ui/badge.tsx'
import { Card } from '../../../../ui/card.tsx'
import type { Checked } from './manifest.ts'

interface FindingsCardProps {
  checked: Checked
  /** Something was changed since the check. */
  stale: boolean
  actions: ReactNode
}

/** What a check found, in words: what prevents publishing, and what the operator should know. */
export function FindingsCard({ checked: { problems, notes }, stale, actions }: FindingsCardProps) {
  return (
    <Card
      title="4. Check and publish"
      aside={
        stale ? (
          <Badge tone="warning">Changed since the check</Badge>
        ) : problems.length > 0 ? (
          <Badge tone="danger">{problems.length === 1 ? '1 problem' : `${problems.length} problems`}</Badge>
        ) : (
          <Badge tone="success">Ready</Badge>
        )
      }
    >
      <div aria-live="polite">
        {problems.length > 0 && (
          <ul className="mb-4 list-disc space-y-1 pl-5 text-danger">
            {problems.map((problem) => (
              <li key={problem} className="text-pretty break-words">
                {problem}
              </li>
            ))}
          </ul>
        )}
        {problems.length === 0 && !stale && <p className="mb-4">Ready to publish.</p>}
        {notes.length > 0 && (
          <ul className="mb-4 list-disc space-y-1 pl-5 text-muted">
            {notes.map((note) => (
              <li key={note} className="text-pretty break-words">
                {note}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </Card>
  )
}
