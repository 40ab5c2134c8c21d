import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'

/** Stores a credential, or replaces the one of `name`. `onStored` gets its name. */
export function SecretDialog({
  name: given,
  onClose,
  onStored,
}: {
  name: string
  onClose: () => void
  onStored?: (name: string) => void
}) {
  const act = useAct('POST /upstream-secrets')
  const [name, setName] = useState(given)
  const [value, setValue] = useState('')
  return (
    <ActDialog
      title={given === '' ? 'Store a credential' : `Replace ${given}`}
      about="It is encrypted, sent to the upstreams that use it, and never shown again."
      submitLabel={given === '' ? 'Store' : 'Replace'}
      busyLabel={given === '' ? 'Storing' : 'Replacing'}
      act={act}
      onClose={onClose}
      onSubmit={(reason) =>
        act.mutate(
          { name, value, reason },
          {
            onSuccess() {
              onStored?.(name)
              onClose()
            },
          },
        )
      }
    >
      {given === '' && (
        <TextField
          label="Name"
          hint="Capital letters, digits and underscores, such as ACME_KEY."
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.target.value.toUpperCase())}
        />
      )}
      <TextField
        label="Value"
        type="password"
        autoComplete="off"
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
    </ActDialog>
  )
}
