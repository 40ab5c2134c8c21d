import type { Factor } from '@supabase/auth-js'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { FactorProof } from './factor-proof.tsx'
import { securityText as text } from './text.ts'

interface ProveDialogProps {
  factors: Factor[]
  onProved: () => void
  onClose: () => void
}

/** Asks for a current code before factors change: an open session is not enough. */
export function ProveDialog({ factors, onProved, onClose }: ProveDialogProps) {
  return (
    <Dialog title={text.proveTitle} about={text.proveAbout} onClose={onClose}>
      <div className="mt-4">
        <FactorProof factors={factors} onProved={onProved} aside={<Button onClick={onClose}>{text.cancel}</Button>} />
      </div>
    </Dialog>
  )
}
