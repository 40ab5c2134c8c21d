import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'

/** A sender that nobody owns would break sign-in by mail, so it counts only after its code has come back. */
export function SenderCard({ waiting, used, isOwner }: { waiting: string; used: string; isOwner: boolean }) {
  const [confirming, setConfirming] = useState(false)
  return (
    <Card
      title="Confirm the new sender"
      about={`A code was sent to ${waiting}. Until you enter it, emails come from ${used}.`}
      aside={
        isOwner && (
          <Button size="small" look="primary" onClick={() => setConfirming(true)}>
            Confirm sender
          </Button>
        )
      }
    >
      {confirming && <ConfirmDialog waiting={waiting} onClose={() => setConfirming(false)} />}
    </Card>
  )
}

function ConfirmDialog({ waiting, onClose }: { waiting: string; onClose: () => void }) {
  const act = useAct('POST /shop/sender')
  const [code, setCode] = useState('')
  return (
    <ActDialog
      title="Confirm sender"
      about={`Emails to customers come from ${waiting} from then on.`}
      submitLabel="Confirm sender"
      busyLabel="Confirming"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ code, reason }, { onSuccess: onClose })}
    >
      <TextField
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </ActDialog>
  )
}
