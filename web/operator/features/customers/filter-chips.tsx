import { useNavigate } from '@tanstack/react-router'
import type { CustomerFilter } from '#contract/operator/customers.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { X } from '../../../ui/icons/public.ts'
import { stateNames } from './state-badge.tsx'

const { deleted: _, ...states } = stateNames
const ages = {
  '1d': 'Created today or yesterday',
  '7d': 'Created in the last 7 days',
  '30d': 'Created in the last 30 days',
} as const

/** Chooses filters, which the address keeps, and shows each chosen one as a chip that removes it. */
export function FilterChips({ filter, plans }: { filter: CustomerFilter; plans: readonly string[] }) {
  const navigate = useNavigate()
  const set = (change: Record<string, string | undefined>) =>
    navigate({ to: '/customers', search: { ...filter, ...change } as CustomerFilter, replace: true })
  const fields = [
    { name: 'plan', label: 'Plan', all: 'All plans', options: Object.fromEntries(plans.map((plan) => [plan, plan])) },
    { name: 'state', label: 'State', all: 'All states', options: states as Record<string, string> },
    { name: 'new', label: 'Created', all: 'Any time', options: ages as Record<string, string> },
  ] as const
  const chosen = fields.filter(({ name }) => filter[name] !== undefined)
  return (
    <div className="space-y-3 px-5 pb-4">
      <div className="flex flex-wrap gap-3">
        {fields.map(({ name, label, all, options }) => (
          <SelectField
            key={name}
            label={label}
            hideLabel
            className="w-48 max-sm:w-full"
            value={filter[name] ?? ''}
            onChange={({ target }) => set({ [name]: target.value || undefined })}
          >
            <option value="">{all}</option>
            {Object.entries(options).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
      {chosen.length > 0 && (
        <ul aria-label="Filters" className="flex flex-wrap gap-2">
          {chosen.map(({ name, label, options }) => (
            <li key={name}>
              <Button
                size="small"
                aria-label={`Remove the filter ${label}: ${options[filter[name]!] ?? filter[name]}`}
                onClick={() => set({ [name]: undefined })}
              >
                {label}: {options[filter[name]!] ?? filter[name]}
                <X aria-hidden="true" className="size-3.5 text-muted" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
