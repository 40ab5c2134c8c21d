import { type FormEvent, type ReactNode, useState } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'

/** `monthlyCredits` null: no separate limit. */
export type AccessChoice = { allow: true; monthlyCredits: number | null } | { allow: false }

/** The server's maximum. */
const mostCredits = 1_000_000_000
const scopeTexts: Record<string, (workspace: string) => string> = {
  'data:read': (workspace) => `Read market data with the tools, charged to the credits of ${workspace}`,
  'account:read': (workspace) => `See your name and email, and the credits, usage and names of keys of ${workspace}`,
  'keys:write': (workspace) => `Create and delete API keys of ${workspace}`,
}

/** What a program asks for, in which workspace and up to which cost, with the two decisions. `children`: who asks. */
export function AccessForm({
  scopes,
  busy,
  error,
  onDecide,
  children,
}: {
  scopes: string[]
  busy: boolean
  error: Error | null
  onDecide: (choice: AccessChoice) => void
  children: ReactNode
}) {
  const { workspaces, current } = useWorkspaces()
  const switchTo = useSwitchWorkspace()
  const [budget, setBudget] = useState('')
  const credits = budget.trim() === '' ? null : Number(budget)
  const wrong =
    credits === null
      ? null
      : !Number.isInteger(credits) || credits < 0
        ? 'Enter a whole number of credits, or leave it blank.'
        : credits > mostCredits
          ? `Enter at most ${formatWhole(mostCredits)} credits, or leave it blank.`
          : null
  // A key that the application created would have no limit.
  const granted = credits === null ? scopes : scopes.filter((scope) => scope !== 'keys:write')
  const mayAllow = current?.role !== 'member'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!wrong && mayAllow) onDecide({ allow: true, monthlyCredits: credits })
  }
  return (
    <form onSubmit={submit}>
      {children}
      <h2 className="mt-5 font-strong">It will be able to</h2>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {granted.map((scope) => (
          <li key={scope} className="break-words">
            {scopeTexts[scope]?.(workspaces.length > 1 && current ? current.name : 'this workspace') ?? scope}
          </li>
        ))}
      </ul>
      {workspaces.length > 1 && (
        <SelectField
          className="mt-5"
          label="Workspace"
          value={current?.id ?? ''}
          onChange={({ target: { value } }) => {
            const chosen = workspaces.find((one) => one.id === value)
            if (chosen) void switchTo(chosen)
          }}
        >
          {workspaces.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        className="mt-5"
        label="Credits per month"
        inputMode="numeric"
        placeholder="No separate limit"
        value={budget}
        error={wrong}
        hint={`The most this application can spend. ${scopes.includes('keys:write') ? 'With a limit, it cannot create or delete API keys. ' : ''}Leave blank to allow all credits of the workspace.`}
        onChange={(event) => setBudget(event.target.value)}
      />
      <p className="mt-4 text-small text-muted">
        It appears as a separate key under API Keys. Delete that key to disconnect it.
        {granted.includes('keys:write') && ' Keys that it created keep working until you delete them too.'}
      </p>
      {!mayAllow && (
        <p className="mt-4">
          Only owners and admins can connect applications to this workspace. Choose another workspace.
        </p>
      )}
      <p role="alert" className="text-danger not-empty:mt-4">
        {error && messageOf(error, 'The decision could not be saved. Try again.')}
      </p>
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button disabled={busy} onClick={() => onDecide({ allow: false })}>
          Deny
        </Button>
        <Button type="submit" look="primary" busy={busy} disabled={wrong !== null || !mayAllow}>
          Allow
        </Button>
      </div>
    </form>
  )
}
