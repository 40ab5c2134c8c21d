import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { type Logo, logoOf } from './draft.ts'

interface LogoFieldProps {
  label: string
  hint: string
  error: string | undefined
  value: Logo
  served: string | null
  onChange: (value: Logo, picture: string | null) => void
}

const MOST_BYTES = 256 * 1024

/** A logo: the one that is served, a file of the operator's, or none. */
export function LogoField({ label, hint, error, value, served, onChange }: LogoFieldProps) {
  const [tooLarge, setTooLarge] = useState<string | null>(null)
  const choose = async (file: File) => {
    if (file.size > MOST_BYTES) return setTooLarge('Choose a logo of at most 256 KiB. Every page and email loads it.')
    setTooLarge(null)
    const { logo, picture } = await logoOf(file)
    onChange(logo, picture)
  }
  return (
    <div className="space-y-2">
      <FileField
        label={label}
        hint={value === 'keep' ? `${hint} The current one stays.` : hint}
        error={tooLarge ?? error}
        accept=".svg,.png,.jpg,.jpeg,.webp"
        onChoose={choose}
      />
      {value !== null && (
        <Button size="small" onClick={() => onChange(null, null)}>
          Use no {label.toLowerCase()}
        </Button>
      )}
      {value === null && served !== null && (
        <Button size="small" onClick={() => onChange('keep', served)}>
          Keep current {label.toLowerCase()}
        </Button>
      )}
    </div>
  )
}
