import { useId } from 'react'
import { controlClass, SelectField, TextField } from '../../ui/field.tsx'
import type { ControlFields } from './control-fields.ts'

/** The inputs for the limits of one key; each may stay empty. */
export function ControlInputs({
  fields,
  onChange,
}: {
  fields: ControlFields
  onChange: (fields: ControlFields) => void
}) {
  const set = (change: Partial<ControlFields>) => onChange({ ...fields, ...change })
  const networksId = useId()
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
      </SelectField>
      <TextField
        label="Expires"
        hint="Your local time. Empty: never."
        type="datetime-local"
        value={fields.expires}
        onChange={(event) => set({ expires: event.target.value })}
      />
      <TextField
        label="Monthly budget"
        hint="Credits per calendar month (UTC). Empty: none."
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        value={fields.budget}
        onChange={(event) => set({ budget: event.target.value })}
      />
      <TextField
        label="Rate limit"
        hint="Requests per minute. Empty: only the workspace's limit."
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        value={fields.rate}
        onChange={(event) => set({ rate: event.target.value })}
      />
      <div className="sm:col-span-2">
        <label htmlFor={networksId} className="mb-1.5 block font-strong">
          Allowed addresses
        </label>
        <textarea
          id={networksId}
          aria-describedby={`${networksId}-note`}
          value={fields.networks}
          onChange={(event) => set({ networks: event.target.value })}
          rows={3}
          spellCheck={false}
          placeholder="203.0.113.0/24"
          className={`${controlClass} h-auto py-2 font-mono text-small`}
        />
        <p id={`${networksId}-note`} className="mt-1.5 text-muted">
          IPv4 and IPv6 addresses or networks, one a line. Empty: every address.
        </p>
      </div>
    </div>
  )
}
