import { type FormEvent, useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { formatWhole } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { changedControls, toFields } from './control-fields.ts'
import { ControlInputs } from './control-inputs.tsx'
import { useUpdateKey } from './queries.ts'
import { keysText } from './text.ts'

/** Shows and edits the limits of a key. */
export function KeyControls({ apiKey }: { apiKey: ApiKey }) {
  const [fields, setFields] = useState(() => toFields(apiKey))
  const [typed, setTyped] = useState(false)
  useUnsaved(typed)
  const update = useUpdateKey(apiKey.id)
  const left = apiKey.budget_left
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (update.isPending) return
    const changed = changedControls(fields, apiKey)
    if (Object.keys(changed).length === 0) return toast({ title: 'No limit was changed' })
    update.mutate(changed, {
      onSuccess: (saved) => {
        setFields(toFields(saved))
        setTyped(false)
        toast({ title: 'Limits saved', description: 'They apply from the next call.' })
      },
    })
  }
  return (
    <Card
      title={keysText.limits}
      about={
        left === null
          ? 'Limits for this key, on top of workspace limits.'
          : `${formatWhole(left)} credits left in this month's budget.`
      }
    >
      <form onSubmit={onSubmit} onInput={() => setTyped(true)}>
        <ControlInputs fields={fields} onChange={setFields} />
        {update.isError && (
          <p role="alert" className="mt-4 text-danger">
            {messageOf(update.error, 'The limits could not be saved.')}
          </p>
        )}
        <Button type="submit" className="mt-5" busy={update.isPending}>
          {update.isPending ? 'Saving...' : 'Save limits'}
        </Button>
      </form>
    </Card>
  )
}
