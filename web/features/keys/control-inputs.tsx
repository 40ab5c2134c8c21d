import { DateField } from '../../ui/form/date-field.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import type { ControlFields } from './control-fields.ts'

const limit = { type: 'number', inputMode: 'numeric', min: 1, step: 1 } as const

/** The inputs for a key's limits, all optional. */
export function ControlInputs({
  fields,
  onChange,
}: {
  fields: ControlFields
  onChange: (fields: ControlFields) => void
}) {
  const set = (change: Partial<ControlFields>) => onChange({ ...fields, ...change })
  return (
    <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
      <SelectField
        label="Use for"
        value={fields.use}
        onChange={(event) => set({ use: event.target.value as ControlFields['use'] })}
      >
        <option value="both">REST API and MCP</option>
        <option value="rest">REST API only</option>
        <option value="mcp">MCP only</option>
        <option value="read">Reading only (spreadsheets)</option>
      </SelectField>
      <DateField
        label="Expires (UTC)"
        hint="Leave blank for no expiry."
        withTime
        value={fields.expires}
        onChange={(expires) => set({ expires })}
      />
      <TextField
        label="Monthly budget"
        hint="Credits per calendar month (UTC). Leave blank for no limit."
        {...limit}
        value={fields.budget}
        onChange={(event) => set({ budget: event.target.value })}
      />
      <TextField
        label="Rate limit"
        hint="Requests per minute. Leave blank for the workspace limit."
        {...limit}
        value={fields.rate}
        onChange={(event) => set({ rate: event.target.value })}
      />
      <TextArea
        label="Allowed addresses"
        hint="IPv4 or IPv6 addresses or networks, one per line. Leave blank to allow all."
        className="sm:col-span-2"
        rows={3}
        placeholder="For example 203.0.113.0/24"
        value={fields.networks}
        onChange={(event) => set({ networks: event.target.value })}
      />
    </div>
  )
}
