import type { Subscription } from '#contract/billing.ts'
import { formatUnixDay } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { billingText as text } from './text.ts'
import { useOpenPortal } from './use-open-portal.ts'

interface ChangePlanDialogProps {
  /** The name of the wanted plan. */
  to: string
  held: Subscription
  onClose: () => void
}

/** How to change to a plan that the portal cannot change to: end the one that is held, then choose it here. */
export default function ChangePlanDialog({ to, held, onClose }: ChangePlanDialogProps) {
  const { busy, error, open } = useOpenPortal()
  const { cancels_at: ends } = held
  const about =
    ends === null ? text.cancelFirst(held.plan.name, to) : text.endsFirst(held.plan.name, formatUnixDay(ends), to)
  return (
    <Dialog title={text.changeTo(to)} about={about} onClose={onClose}>
      <p role="alert" className="text-danger not-empty:mt-4">
        {error}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{text.close}</Button>
        {ends === null && (
          <Button look="primary" busy={busy} onClick={open}>
            {busy ? text.managing : text.manage}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
