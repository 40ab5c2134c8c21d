import { useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { formatMoment } from '../../lib/format.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { holdCreatedKey } from './created-key.ts'
import { useRotateKey } from './queries.ts'

const graces = [
  { seconds: 0, label: 'Immediately' },
  { seconds: 3_600, label: 'After 1 hour' },
  { seconds: 86_400, label: 'After 24 hours' },
  { seconds: 604_800, label: 'After 7 days' },
]

/** Rotates a key after asking when to revoke the old value. */
export function RotateKey({ apiKey }: { apiKey: ApiKey }) {
  const { keysReveal } = useSettings()
  const [grace, setGrace] = useState('86400')
  const rotate = useRotateKey(apiKey.id)
  return (
    <Card
      title="Rotate this key"
      about={
        apiKey.previous_until === null
          ? 'Replace the value of this key. Usage and limits stay the same.'
          : `The previous key works until ${formatMoment(apiKey.previous_until)}.`
      }
      aside={
        <ConfirmButton
          look="secondary"
          title="Rotate API key?"
          about={
            <>
              <strong className="font-strong break-words text-ink">{apiKey.name}</strong> gets a new value immediately.
              <SelectField
                className="mt-4"
                label="Revoke the old key"
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
          action={rotate}
          failed="The key could not be rotated."
          onConfirm={(close) =>
            rotate.mutate(Number(grace), {
              onSuccess: (key) => {
                if (keysReveal === 'once') holdCreatedKey({ name: key.name, value: key.unkey })
                close()
              },
            })
          }
        />
      }
    />
  )
}
