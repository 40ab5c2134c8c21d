import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useText } from '../../lib/use-text.ts'

/** A sender that nobody owns would break sign-in by mail, so it counts only after its code has come back. */
export function SenderCard({ waiting, used, isOwner }: { waiting: string; used: string; isOwner: boolean }) {
  const [confirming, setConfirming] = useState(false)
  const code = useText()
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
      {confirming && (
        <ActDialog
          line="POST /shop/sender"
          title="Confirm sender"
          about={`Emails to customers come from ${waiting} from then on.`}
          busy="Confirming"
          input={() => ({ code: code.value })}
          onClose={() => setConfirming(false)}
        >
          <TextField label="Code" inputMode="numeric" autoComplete="one-time-code" {...code.field} />
        </ActDialog>
      )}
    </Card>
  )
}
