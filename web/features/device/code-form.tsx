import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { DeviceRequest } from '#contract/oauth-routes.ts'
import { api } from '../../lib/http/api.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'

/** Asks for the code. `given` is the one in the link: it is shown, never sent by itself, so that the person compares it. */
export function CodeForm({
  given,
  email,
  onFound,
}: {
  given: string
  email: string | null
  onFound: (code: string, request: DeviceRequest) => void
}) {
  const heading = usePageHeading('Connect a program')
  const { shop, publicUrl } = useSettings()
  const [code, setCode] = useState(given)
  const [missing, setMissing] = useState(false)
  const find = useMutation({
    mutationFn: (typed: string) => api('findDeviceRequest', { body: { code: typed } }),
    onSuccess: ({ request }, typed) => onFound(typed, request),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(code.trim() === '')
    if (code.trim() !== '') find.mutate(code)
  }
  const refused = find.isError ? messageOf(find.error, 'The code could not be checked. Try again.') : null
  return (
    <form onSubmit={submit} noValidate>
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
        Connect a program
      </h1>
      <p className="mt-2 text-muted">
        {given
          ? 'Compare this code with the one that the program shows. Continue only if you started the program yourself.'
          : 'Enter the code that the program shows. Continue only if you started the program yourself.'}
      </p>
      {!given && !shop.named && (
        <CodeBlock
          className="mt-4"
          label="For example, the command line"
          code={
            <>
              npx finmeter login --url <span className="inline-block">{publicUrl}</span>
            </>
          }
          wrap
        />
      )}
      {email && (
        <p className="mt-4 text-muted">
          It gets access to the account <strong className="wrap-anywhere text-ink">{email}</strong>.
        </p>
      )}
      <TextField
        className="mt-5"
        label="Code"
        isCode
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        value={code}
        error={missing ? 'Enter the code.' : refused}
        onChange={(event) => {
          setCode(event.target.value)
          setMissing(false)
          if (find.isError) find.reset()
        }}
      />
      <Button type="submit" look="primary" size="large" wide className="mt-6" busy={find.isPending}>
        Continue
      </Button>
    </form>
  )
}
