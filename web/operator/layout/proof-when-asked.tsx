import { ProofDialog } from './act-dialog.tsx'

/** The second factor, when the server asked for it before a request that is no act. */
export function ProofWhenAsked({ of }: { of: { needsProof: boolean; proved: () => void; dismiss: () => void } }) {
  return of.needsProof ? <ProofDialog onProved={of.proved} onClose={of.dismiss} /> : null
}
