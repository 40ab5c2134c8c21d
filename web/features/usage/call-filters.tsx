import { queryOptions, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useRef } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import type { ReceiptsFilter } from '#contract/usage.ts'
import { api } from '../../lib/http/api.ts'
import { Button } from '../../ui/button.tsx'
import { DateField } from '../../ui/form/date-field.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { usageText } from './text.ts'

const text = {
  tool: 'Tool',
  key: 'Key',
  playground: 'Playground',
  result: 'Result',
  from: 'From (UTC)',
  to: 'To (UTC)',
  all: 'All',
  clear: 'Clear',
}

/** Tool names for the filter. */
const usageToolsQuery = queryOptions({
  queryKey: ['usage-tools'],
  queryFn: ({ signal }) => api('listUsageTools', { signal }).then(({ tools }) => tools),
  staleTime: Number.POSITIVE_INFINITY,
})

const dayMs = 86_400_000

interface Props {
  value: ReceiptsFilter
  onChange: (value: ReceiptsFilter) => void
  keys: Pick<ApiKey, 'id' | 'name'>[] | undefined
  /** For the calls of one key: hides the key filter. */
  ofOneKey: boolean
}

/** The call filter: tool, key, result, first and last day (UTC). Empty values match all. */
export default function CallFilters({ value, onChange, keys, ofOneKey }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const { data: tools } = useQuery(usageToolsQuery)
  const set = (name: keyof ReceiptsFilter, chosen: string | undefined) => {
    const { [name]: _, ...rest } = value
    onChange(chosen ? { ...rest, [name]: chosen } : rest)
  }
  // The button disappears with the filter, so move the focus first.
  const clear = () => {
    place.current?.querySelector('select')?.focus()
    onChange({})
  }
  return (
    <div
      ref={place}
      className={clsx(
        'grid grid-cols-2 gap-3 border-t border-line px-5 py-3 sm:grid-cols-3 lg:flex lg:flex-wrap lg:items-end',
        !ofOneKey && 'max-sm:[&>:first-child]:col-span-2',
      )}
    >
      <Choice
        label={text.tool}
        value={value.tool}
        onChoose={(tool) => set('tool', tool)}
        options={named(tools ?? [])}
      />
      {!ofOneKey && (
        <Choice
          label={text.key}
          value={value.keyId}
          onChoose={(keyId) => set('keyId', keyId)}
          options={[...(keys ?? []).map(({ id, name }) => [id, name] as const), ['playground', text.playground]]}
        />
      )}
      <Choice
        label={text.result}
        value={value.status}
        onChoose={(status) => set('status', status)}
        options={[
          ['success', usageText.succeeded],
          ['failed', usageText.failedCalls],
        ]}
      />
      <DateField
        label={text.from}
        className="min-w-0 max-sm:col-span-full lg:w-40"
        value={value.from?.slice(0, 10) ?? ''}
        onChange={(day) => set('from', day && `${day}T00:00:00Z`)}
      />
      <DateField
        label={text.to}
        className="min-w-0 max-sm:col-span-full lg:w-40"
        value={value.to ? dayOf(new Date(value.to).getTime() - dayMs) : ''}
        onChange={(day) => set('to', day && `${dayOf(Date.parse(day) + dayMs)}T00:00:00Z`)}
      />
      {Object.keys(value).length > 0 && (
        <Button look="quiet" className="self-end" onClick={clear}>
          {text.clear}
        </Button>
      )}
    </div>
  )
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const named = (names: string[]) => names.map((name) => [name, name] as const)

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string
  value: string | undefined
  options: readonly (readonly [value: string, label: string])[]
  onChoose: (value: string) => void
}) {
  return (
    <SelectField
      label={label}
      className="min-w-0 lg:w-40"
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{text.all}</option>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
