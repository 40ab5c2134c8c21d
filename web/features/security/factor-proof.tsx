import type { Factor } from '@supabase/auth-js'
import { type ReactNode, useState } from 'react'
import { loadAuthClient } from '../../lib/auth/session.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { nameOf } from './factor-name.ts'
import { ProveForm } from './prove-form.tsx'
import { securityText as text } from './text.ts'

interface FactorProofProps {
  /** Verified ones, at least one. */
  factors: Factor[]
  onProved: () => void
  aside?: ReactNode
}

/** Asks for a current code of one of the user's factors, with a choice if there are several. */
export function FactorProof({ factors, onProved, aside }: FactorProofProps) {
  const [chosenId, setChosenId] = useState(factors[0]?.id ?? '')
  const chosen = factors.find(({ id }) => id === chosenId) ?? factors[0]
  if (!chosen) return null
  return (
    <div className="space-y-4">
      {factors.length > 1 && (
        <SelectField label={text.factor} value={chosen.id} onChange={(event) => setChosenId(event.target.value)}>
          {factors.map((factor) => (
            <option key={factor.id} value={factor.id}>
              {nameOf(factor)}
            </option>
          ))}
        </SelectField>
      )}
      {chosen.factor_type === 'phone' ? (
        <PhoneProof key={chosen.id} factorId={chosen.id} onProved={onProved} aside={aside} />
      ) : (
        <ProveForm key={chosen.id} factorId={chosen.id} onProved={onProved} aside={aside} />
      )}
    </div>
  )
}

/** A text message is sent on request, not on render. */
function PhoneProof({ factorId, onProved, aside }: { factorId: string; onProved: () => void; aside?: ReactNode }) {
  const [challengeId, setChallengeId] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const send = async () => {
    setBusy(true)
    setFailure(null)
    const auth = await loadAuthClient()
    const { data, error } = await auth.mfa.challenge({ factorId })
    setBusy(false)
    if (error) return setFailure(messageOf(error, text.challengeFailed))
    setChallengeId(data.id)
  }

  if (!challengeId)
    return (
      <div className="space-y-3">
        <div className="flex flex-wrap gap-2">
          <Button look="primary" busy={busy} onClick={send}>
            {text.sendCode}
          </Button>
          {aside}
        </div>
        <p role="alert" className="text-danger empty:hidden">
          {failure}
        </p>
      </div>
    )
  const verify = async (code: string) => {
    const auth = await loadAuthClient()
    const { error } = await auth.mfa.verify({ factorId, challengeId, code })
    if (error) throw error
  }
  return <ProveForm factorId={factorId} verify={verify} hint={text.sent} onProved={onProved} aside={aside} />
}
