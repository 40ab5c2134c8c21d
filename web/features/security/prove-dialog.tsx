import type { Factor } from '@supabase/auth-js'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { FactorProof } from './factor-proof.tsx'
import { securityText as text } from './text.ts'

interface ProveDialogProps {
  factors: Factor[]
  onProved: () => void
  onClose: () => void
}

/** Asks for a current code before the factors themselves change: an open session alone must not do it. */
export function ProveDialog({ factors, onProved, onClose }: ProveDialogProps) {
  return (
    <Modal
      open
      onClose={onClose}
      label={text.proveTitle}
      className="mx-auto mt-[14dvh] w-[calc(100vw-2rem)] max-w-md rounded-card border border-line shadow-float"
    >
      <div className="space-y-4 p-5">
        <div>
          <h2 className="text-prose font-strong">{text.proveTitle}</h2>
          <p className="mt-1 text-muted">{text.proveAbout}</p>
        </div>
        <FactorProof factors={factors} onProved={onProved} aside={<Button onClick={onClose}>{text.cancel}</Button>} />
      </div>
    </Modal>
  )
}
