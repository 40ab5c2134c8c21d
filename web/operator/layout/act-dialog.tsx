import type { ReactNode } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import type { Body, Data } from '../lib/api.ts'
import { type ActLine, type Params, useAct } from '../lib/use-act.ts'
import { useText } from '../lib/use-text.ts'
import { ProofDialog } from './proof-dialog.tsx'

type Given<L extends ActLine> = Omit<Body<L>, 'act_id' | 'reason'>

interface ActDialogProps<L extends ActLine> {
  line: L
  params?: Params
  title: string
  /** The effect, in numbers. */
  about: ReactNode
  /** On the button; missing: the title. */
  submit?: string
  busy?: string
  danger?: boolean
  /** What the act has beside its reason. Null: something is wrong, and its field says so. */
  input?: () => Given<L> | null | Promise<Given<L> | null>
  /** After success, before the dialog closes; `false` keeps it open. */
  onDone?: (data: Data<L>) => unknown
  onFail?: (error: Error) => unknown
  onClose: () => void
  children?: ReactNode
}

/** A form for an act: its fields, the reason, and the proof of a second factor when the server asks for it. */
export function ActDialog<L extends ActLine>({
  line,
  params,
  title,
  submit = title,
  busy = 'Saving',
  input,
  onDone,
  onFail,
  children,
  ...rest
}: ActDialogProps<L>) {
  const act = useAct(line, params)
  const reason = useText()
  const send = async () => {
    const why = reason.value.trim()
    if (why.length < 10) return reason.fail('Give a reason of at least 10 characters.')
    const given = input ? await input() : {}
    if (given === null) return
    const body = { ...given, reason: why } as unknown as Omit<Body<L>, 'act_id'>
    act.mutate(body, {
      onSuccess: (data) => onDone?.(data) !== false && rest.onClose(),
      onError: (error) => onFail?.(error),
    })
  }
  return (
    <>
      <FormDialog
        {...rest}
        title={title}
        submitLabel={submit}
        busyLabel={busy}
        busy={act.isPending}
        error={act.needsProof ? null : act.error && messageOf(act.error, 'The action failed.')}
        onSubmit={() => void send()}
      >
        {children}
        <TextField
          label="Reason"
          hint="Shown in the audit log. Customers never see it."
          maxLength={500}
          {...reason.field}
        />
      </FormDialog>
      {act.needsProof && (
        <ProofDialog
          onClose={act.proved}
          onProved={() => {
            act.proved()
            void send()
          }}
        />
      )}
    </>
  )
}
