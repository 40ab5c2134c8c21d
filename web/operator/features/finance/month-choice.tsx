import { useNavigate } from '@tanstack/react-router'
import { ChoiceField } from '../../ui/choice-field.tsx'

/** The UTC month of the page, kept in its address. */
export function MonthChoice({ month }: { month: string }) {
  const navigate = useNavigate()
  const [year, number] = new Date().toISOString().slice(0, 7).split('-').map(Number) as [number, number]
  const months = Array.from({ length: 36 }, (_, back) =>
    new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7),
  )
  return (
    <ChoiceField
      label="Month (UTC)"
      className="w-44"
      value={month}
      options={Object.fromEntries(
        [...new Set(months.includes(month) ? months : [month, ...months])].map((one) => [one, one]),
      )}
      onChange={(next) => navigate({ to: '.', search: ((kept: object) => ({ ...kept, month: next })) as never })}
    />
  )
}
