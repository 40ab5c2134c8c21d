import { useNavigate } from '@tanstack/react-router'
import type { CustomerFilter } from '#contract/operator/customers.ts'
import { Button } from '../../../ui/button.tsx'
import { X } from '../../../ui/icons/public.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { stateNames } from './state-badge.tsx'

const { deleted: _, ...states } = stateNames
const ages = {
  '1d': 'Created today or yesterday',
  '7d': 'Created in the last 7 days',
  '30d': 'Created in the last 30 days',
}

/** Chooses filters, which the address keeps, and shows each chosen one as a chip that removes it. */
export function FilterChips({ filter, plans }: { filter: CustomerFilter; plans: readonly string[] }) {
  const navigate = useNavigate()
  const set = (change: Record<string, string | undefined>) =>
    navigate({ to: '/customers', search: { ...filter, ...change } as CustomerFilter, replace: true })
  const fields: readonly {
    name: keyof CustomerFilter
    label: string
    all: string
    options: Record<string, string>
  }[] = [
    { name: 'plan', label: 'Plan', all: 'All plans', options: Object.fromEntries(plans.map((plan) => [plan, plan])) },
    { name: 'state', label: 'State', all: 'All states', options: states },
    { name: 'new', label: 'Created', all: 'Any time', options: ages },
  ]
  const chosen = fields.flatMap(({ name, label, options }) => {
    const value = filter[name]
    return value === undefined ? [] : [{ name, text: `${label}: ${options[value] ?? value}` }]
  })
  return (
    <div className="space-y-3 px-5 pb-4">
      <div className="flex flex-wrap gap-3">
        {fields.map(({ name, label, all, options }) => (
          <ChoiceField
            key={name}
            label={label}
            hideLabel
            className="w-48 max-sm:w-full"
            value={filter[name] ?? ''}
            options={{ '': all, ...options }}
            onChange={(value) => set({ [name]: value || undefined })}
          />
        ))}
      </div>
      {chosen.length > 0 && (
        <ul aria-label="Filters" className="flex flex-wrap gap-2">
          {chosen.map(({ name, text }) => (
            <li key={name}>
              <Button size="small" aria-label={`Remove the filter ${text}`} onClick={() => set({ [name]: undefined })}>
                {text}
                <X aria-hidden="true" className="size-3.5 text-muted" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
