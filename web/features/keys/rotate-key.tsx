import { useState } from 'react'
import { flushSync } from 'react-dom'
import type { ApiKey } from '#contract/keys.ts'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { holdNewKey } from './new-key.ts'
import { useRotateKey } from './queries.ts'
import { keysText } from './text.ts'

const graces = [
  { seconds: 0, label: 'Immediately' },
  { seconds: 3_600, label: 'After 1 hour' },
  { seconds: 86_400, label: 'After 24 hours' },
  { seconds: 604_800, label: 'After 7 days' },
]

/** Rotates a key after asking when to revoke the old value. */
export function RotateKey({ apiKey }: { apiKey: ApiKey }) {
  const [grace, setGrace] = useState('86400')
  const rotate = useRotateKey(apiKey.id)
  return (
    <ConfirmButton
      look="secondary"
      fragment="rotate"
      title="Rotate API key?"
      about={
        <>
          <strong className="font-strong break-words text-ink">{apiKey.name}</strong> gets a new value immediately.
          Usage and limits stay the same.
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
            // The closing dialog returns the focus to its button; the new value then takes it.
            flushSync(close)
            holdNewKey(key)
            toast({ title: keysText.rotated })
          },
        })
      }
    />
  )
}
