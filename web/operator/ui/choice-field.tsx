import { SelectField } from '../../ui/form/field.tsx'

interface ChoiceFieldProps<T extends string> {
  label: string
  hideLabel?: boolean
  value: T
  /** What each value is called, in their order. */
  options: Readonly<Record<string, string>>
  disabled?: boolean
  className?: string
  onChange: (value: T) => void
}

/** A choice of one among named values. */
export const ChoiceField = <T extends string>({ options, onChange, ...rest }: ChoiceFieldProps<T>) => (
  <SelectField {...rest} onChange={({ target }) => onChange(target.value as T)}>
    {Object.entries(options).map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </SelectField>
)
