import { useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { messageOf } from '../../lib/api-error.ts'
import { formatMoment } from '../../lib/format.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { holdCreatedKey } from './created-key.ts'
import { useRotateKey } from './queries.ts'

const graces = [
  { seconds: 0, label: 'not at all' },
  { seconds: 3_600, label: 'for 1 hour' },
  { seconds: 86_400, label: 'for 24 hours' },
  { seconds: 604_800, label: 'for 7 days' },
]

/** Gives a key a new value after asking how long the old one shall still work. */
export function RotateKey({ apiKey }: { apiKey: ApiKey }) {
  const { keysReveal } = useSettings()
  const [open, setOpen] = useState(false)
  const [grace, setGrace] = useState('86400')
  const rotate = useRotateKey(apiKey.id)
  return (
    <>
      <Card
        title="Rotate this key"
        about={
          apiKey.previous_until === null
            ? 'A new value for the same key: usage and limits go on.'
            : `The value before the last rotation still works until ${formatMoment(apiKey.previous_until)}.`
        }
        aside={<Button onClick={() => setOpen(true)}>Rotate</Button>}
      />
      <ConfirmDialog
        open={open}
        onOpenChange={(next) => {
          rotate.reset()
          setOpen(next)
        }}
        title="Rotate API key?"
        about={
          <>
            <strong className="font-strong break-words text-ink">{apiKey.name}</strong> gets a new value at once.
            <SelectField
              className="mt-4"
              label="The old value keeps working"
              value={grace}
              onChange={(event) => setGrace(event.target.value)}
            >
              {graces.map(({ seconds, label }) => (
                <option key={seconds} value={seconds}>
                  {label}
                </option>
              ))}
            </SelectField>
          </>
        }
        confirmLabel="Rotate"
        busyLabel="Rotating..."
        busy={rotate.isPending}
        error={rotate.isError ? messageOf(rotate.error, 'The key could not be rotated.') : null}
        onConfirm={() =>
          rotate.mutate(Number(grace), {
            onSuccess: (key) => {
              if (keysReveal === 'once') holdCreatedKey({ name: key.name, value: key.unkey })
              setOpen(false)
            },
          })
        }
      />
    </>
  )
}
