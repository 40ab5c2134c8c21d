import type { ComponentProps } from 'react'
import { TextField } from '../../ui/form/field.tsx'

/** A text field for a number that is read on submit. */
export const AmountField = ({
  onType,
  ...rest
}: ComponentProps<typeof TextField> & { onType: (typed: string) => void }) => (
  <TextField inputMode="numeric" autoComplete="off" onChange={(event) => onType(event.target.value)} {...rest} />
)
