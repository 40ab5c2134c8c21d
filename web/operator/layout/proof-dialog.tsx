import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FactorProof } from '../../features/security/factor-proof.tsx'
import { authUserQuery } from '../../features/security/queries.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { sessionQuery } from '../lib/api.ts'
import { enterAgain } from '../lib/enter.ts'

/** Over the form, which stays filled. */
export function ProofDialog({ onProved, onClose }: { onProved: () => void; onClose: () => void }) {
  const user = useQuery(authUserQuery)
  const session = useQuery(sessionQuery)
  const [failure, setFailure] = useState<string | null>(null)
  const factors = user.data?.factors?.filter(({ status }) => status === 'verified') ?? []
  const proved = () =>
    enterAgain().then(onProved, (error: Error) =>
      setFailure(messageOf(error, 'The console could not be opened again.')),
    )
  const none = session.data?.second_factor === 'read_only' && factors.length === 0
  return (
    <Dialog
      title="Confirm your second factor"
      about={
        none
          ? 'This session is read-only. Add two-factor authentication in the security settings of your account, then sign in again.'
          : 'Actions on money and people need a second factor from the last ten minutes.'
      }
      onClose={onClose}
    >
      <div className="mt-4 space-y-4">
        {factors.length > 0 && (
          <FactorProof factors={factors} onProved={proved} aside={<Button onClick={onClose}>Cancel</Button>} />
        )}
        {!user.isPending && factors.length === 0 && (
          <a href="/dashboard/settings/security" className="underline underline-offset-4">
            Open security settings
          </a>
        )}
        <p role="alert" className="text-danger empty:hidden">
          {failure}
        </p>
      </div>
    </Dialog>
  )
}

/** The same, when the server asked for it before a request that is no act. */
export function ProofWhenAsked({ of }: { of: { needsProof: boolean; proved: () => void; dismiss: () => void } }) {
  return of.needsProof ? <ProofDialog onProved={of.proved} onClose={of.dismiss} /> : null
}
