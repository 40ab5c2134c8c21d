import type { ApiKey } from '#contract/keys.ts'
import { startOfKey } from '../../../lib/mask.ts'
import { SelectField } from '../../../ui/form/field.tsx'
import { playgroundText as text } from '../text.ts'

interface ChargeToProps {
  keys: readonly ApiKey[]
  keyId: string | null
  /** '' selects none. */
  onChoose: (id: string) => void
  /** In a row with other controls, where that has room: the Settings tab has it, too. */
  compact?: boolean
}

/** The API key that calls are charged to. */
export function ChargeTo({ keys, keyId, onChoose, compact = false }: ChargeToProps) {
  return (
    <SelectField
      label={text.chargedTo}
      hideLabel={compact}
      title={compact ? text.chargedTo : undefined}
      className={compact ? 'w-72 max-lg:hidden' : undefined}
      value={keyId ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{text.noKey}</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          {shorten(key.name, compact ? 16 : 40)} ({startOfKey(key.unkey)})
        </option>
      ))}
    </SelectField>
  )
}

const shorten = (name: string, most: number) => (name.length > most ? `${name.slice(0, most - 1)}…` : name)
