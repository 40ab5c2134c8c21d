import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useText } from '../../lib/use-text.ts'

interface SecretDialogProps {
  /** Replaced; empty: a new one. */
  name: string
  onClose: () => void
  /** Gets its name. */
  onStored?: (name: string) => void
}

/** Stores a credential, or replaces one. */
export function SecretDialog({ name: given, onClose, onStored }: SecretDialogProps) {
  const name = useText(given)
  const value = useText()
  const isNew = given === ''
  return (
    <ActDialog
      line="POST /upstream-secrets"
      title={isNew ? 'Store a credential' : `Replace ${given}`}
      about="It is encrypted, sent to the upstreams that use it, and never shown again."
      submit={isNew ? 'Store' : 'Replace'}
      busy={isNew ? 'Storing' : 'Replacing'}
      input={() => ({ name: name.value, value: value.value })}
      onDone={() => onStored?.(name.value)}
      onClose={onClose}
    >
      {isNew && (
        <TextField
          label="Name"
          hint="Capital letters, digits and underscores, such as ACME_KEY."
          autoComplete="off"
          {...name.field}
          onChange={({ target }) => name.set(target.value.toUpperCase())}
        />
      )}
      <TextField label="Value" type="password" autoComplete="off" {...value.field} />
    </ActDialog>
  )
}
