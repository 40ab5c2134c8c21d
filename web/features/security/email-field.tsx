import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { ChangeEmailDialog } from './change-email-dialog.tsx'
import { authUserQuery } from './queries.ts'
import { securityText as text } from './text.ts'

interface EmailFieldProps {
  label: string
  email: string | null
  /** The text shown without an address. */
  none: string
}

/** The user's address, read-only, with a Change button if the server can send email. */
export function EmailField({ label, email, none }: EmailFieldProps) {
  const { recovery: mayMail } = useSettings()
  const { data: user } = useQuery(authUserQuery)
  const [open, setOpen] = useState<'new' | 'codes' | null>(null)
  const pending = user?.new_email ?? null
  return (
    <div>
      <div className="flex items-end gap-2">
        <TextField label={label} value={email ?? none} readOnly className="min-w-0 flex-1" />
        {mayMail && (
          <Button size="small" aria-label={text.changeEmailOf} className="-mb-0.5" onClick={() => setOpen('new')}>
            {text.changeEmail}
          </Button>
        )}
      </div>
      {pending && (
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span className="min-w-0 wrap-anywhere">{text.emailPending(pending)}</span>
          <button
            type="button"
            className="underline underline-offset-4 hover:text-ink"
            onClick={() => setOpen('codes')}
          >
            {text.enterCodes}
          </button>
        </p>
      )}
      {open && (
        <ChangeEmailDialog current={email} pending={open === 'codes' ? pending : null} onClose={() => setOpen(null)} />
      )}
    </div>
  )
}
