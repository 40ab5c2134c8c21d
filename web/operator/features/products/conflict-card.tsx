import { useEffect, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DifferenceTable } from './difference-list.tsx'
import type { Difference } from './field-text.ts'

interface ConflictCardProps {
  /** Who saved the other version. */
  editor: string
  changes: readonly Difference[]
  onTake: () => void
  onKeep: () => void
}

/** Another operator's version beside the one in the form. It takes the focus: it may appear above what is seen. */
export function ConflictCard({ editor, changes, onTake, onKeep }: ConflictCardProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div ref={place} tabIndex={-1}>
      <Card
        title={`${editor} saved this draft after you opened it`}
        about="Use that version, or keep yours and overwrite it."
        flush
        footer={
          <div className="flex flex-wrap justify-end gap-2">
            <Button size="small" onClick={onTake}>
              Use saved version
            </Button>
            <Button size="small" onClick={onKeep}>
              Keep mine
            </Button>
          </div>
        }
      >
        <DifferenceTable label="Both versions" changes={changes} before="Saved version" after="Your version" />
      </Card>
    </div>
  )
}
