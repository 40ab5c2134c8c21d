import { type FormEvent, type ReactNode, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/form/code-field.tsx'
import { useVerifyFactor } from './queries.ts'
import { securityText as text } from './text.ts'

interface ProveFormProps {
  factorId: string
  onProved: () => void
  /** Content next to the button. */
  aside?: ReactNode
  hint?: string
  /** Replaces the client's challenge step, where a code was sent first. */
  verify?: (code: string) => Promise<void>
}

/** Asks for a current code of a factor. */
export function ProveForm({ factorId, onProved, aside, hint, verify }: ProveFormProps) {
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const proof = useVerifyFactor()

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    if (code.length !== 6) return setWrong(text.codeWrong)
    setBusy(true)
    setWrong(null)
    try {
      await (verify ? verify(code) : proof.mutateAsync({ factorId, code }))
      onProved()
    } catch (error) {
      setWrong(messageOf(error, text.challengeFailed))
      setCode('')
    } finally {
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={onSubmit} className="space-y-4">
      <CodeField value={code} onChange={setCode} error={wrong} {...(hint && { hint })} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {busy ? text.verifying : text.verify}
        </Button>
        {aside}
      </div>
    </form>
  )
}
