import { useNavigate } from '@tanstack/react-router'
import { SelectField } from '../../../ui/form/field.tsx'

/** The UTC month of the page, kept in its address. */
export function MonthChoice({ month }: { month: string }) {
  const navigate = useNavigate()
  const [year, number] = new Date().toISOString().slice(0, 7).split('-').map(Number) as [number, number]
  const months = Array.from({ length: 36 }, (_, back) =>
    new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7),
  )
  const options = months.includes(month) ? months : [month, ...months]
  return (
    <SelectField
      label="Month (UTC)"
      className="w-44"
      value={month}
      onChange={(event) =>
        navigate({ to: '.', search: (search: Record<string, unknown>) => ({ ...search, month: event.target.value }) })
      }
    >
      {options.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </SelectField>
  )
}
