import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { fieldMessageOf } from '../../lib/http/api-error.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { ChevronDown } from '../../ui/icons/public.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { BackToKeys } from './back-to-keys.tsx'
import { noControls, toControls } from './control-fields.ts'
import { ControlInputs } from './control-inputs.tsx'
import { holdNewKey } from './new-key.ts'
import { useCreateKey } from './queries.ts'
import { keysText } from './text.ts'

/** Creates a key. Members see why they cannot, before they fill in anything. */
export function NewKeyPage() {
  const mayManage = useMayManage()
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/api-keys/new']} back={<BackToKeys />} />
      {mayManage ? <NewKeyForm /> : <p className="text-muted">{keysText.managersOnly}</p>}
    </>
  )
}

function NewKeyForm() {
  const navigate = useNavigate()
  const create = useCreateKey()
  const nameField = useRef<HTMLInputElement>(null)
  const [name, setName] = useState('')
  const [fields, setFields] = useState(noControls)
  const trimmed = name.trim()
  useUnsaved(trimmed !== '' || fields !== noControls)
  // After the page's heading has received it.
  useEffect(() => nameField.current?.focus(), [])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!trimmed || create.isPending) return
    create.mutate(
      { name: trimmed, ...(fields !== noControls && toControls(fields)) },
      {
        onSuccess: (key) => {
          holdNewKey(key)
          toast({ title: keysText.created })
          return navigate({ to: '/dashboard/api-keys' })
        },
        onError: (error) => {
          console.error('API key creation failed:', error.message)
          // The submit button lost the focus when it was disabled.
          nameField.current?.focus()
        },
      },
    )
  }

  return (
    <form onSubmit={onSubmit} className="max-w-lg rounded-card border border-line bg-surface p-5">
      <TextField
        ref={nameField}
        label={keysText.nameLabel}
        hint={keysText.nameHint}
        error={create.isError ? fieldMessageOf(create.error, 'name', 'The key could not be created.') : null}
        value={name}
        onChange={(event) => setName(event.target.value)}
        required
        maxLength={400}
        autoComplete="off"
        name="key-name"
      />
      <details className="group mt-5">
        <summary className="inline-flex list-none items-center gap-1.5 rounded-control font-strong [&::-webkit-details-marker]:hidden">
          Advanced
          <ChevronDown
            aria-hidden="true"
            className="size-4 text-muted transition-transform duration-150 group-open:rotate-180"
          />
        </summary>
        <div className="mt-4">
          <ControlInputs fields={fields} onChange={setFields} />
        </div>
      </details>
      <div className="mt-5 flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={!trimmed || create.isPending} busy={create.isPending}>
          {create.isPending ? keysText.creating : keysText.create}
        </Button>
        <Link to="/dashboard/api-keys" className={buttonClass()}>
          {keysText.cancel}
        </Link>
      </div>
    </form>
  )
}
