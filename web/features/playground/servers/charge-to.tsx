import type { ApiKey } from '#contract/keys.ts'
import { maskKey } from '../../../lib/mask.ts'
import { SelectField } from '../../../ui/form/field.tsx'
import { playgroundText as text } from '../text.ts'

interface ChargeToProps {
  keys: readonly ApiKey[]
  keyId: string | null
  /** '' selects none. */
  onChoose: (id: string) => void
  className?: string
}

/** The API key that calls are charged to. */
export function ChargeTo({ keys, keyId, onChoose, className }: ChargeToProps) {
  return (
    <SelectField
      label={text.chargedTo}
      className={className}
      value={keyId ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{text.noKey}</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          {key.name.slice(0, 40)} ({maskKey(key.unkey)})
        </option>
      ))}
    </SelectField>
  )
}
