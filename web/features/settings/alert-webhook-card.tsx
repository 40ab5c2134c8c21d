import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { AlertWebhook } from '#contract/billing.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { useFocusHandover } from '../../ui/focus-near.ts'
import { TextField } from '../../ui/form/field.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { SecretText } from '../../ui/secret-text.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { alertWebhookQuery, useSetAlertWebhook } from './queries.ts'
import { settingsText as text } from './text.ts'

/** The alert webhook and its signing secret. Owners and admins only. */
export function AlertWebhookCard() {
  const query = useQuery(alertWebhookQuery)
  const { data } = query
  const webhook = data?.alertWebhook ?? null
  return (
    <Card
      title={text.webhook}
      about={
        <>
          {text.webhookAbout}{' '}
          <a href="/docs/webhooks" className="text-accent underline underline-offset-4">
            {text.webhookGuide}
          </a>
        </>
      }
      aside={data && <Badge tone={webhook ? 'success' : 'neutral'}>{webhook ? text.enabled : text.off}</Badge>}
    >
      <QueryState
        query={query}
        loading={text.loading}
        bars={['h-4 w-28', 'h-9 w-full max-w-96']}
        failed={text.webhookFailed}
      />
      {data && <WebhookForm webhook={webhook} />}
    </Card>
  )
}

function WebhookForm({ webhook }: { webhook: AlertWebhook | null }) {
  const [typed, setTyped] = useState<string | null>(null)
  const save = useSetAlertWebhook()
  useUnsaved(typed !== null)
  const url = (typed ?? webhook?.url ?? '').trim()

  const [removing, setRemoving] = useState(false)
  const set = (to: string | null, done: string) => {
    if (save.isPending) return
    save.mutate(to, {
      onSuccess: () => {
        setTyped(null)
        setRemoving(false)
        toast({ title: done })
      },
    })
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (url !== '') set(url, text.webhookSaved)
  }

  const failure = save.isError ? messageOf(save.error, text.webhookNotSaved) : null
  return (
    <>
      <form noValidate onSubmit={onSubmit} className="max-w-xl space-y-4">
        <TextField
          label={text.webhookUrl}
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/credit-alerts"
          value={typed ?? webhook?.url ?? ''}
          onChange={(event) => {
            setTyped(event.target.value)
            if (save.isError) save.reset()
          }}
          hint={text.webhookHint}
          error={removing ? null : failure}
        />
        {webhook && <Secret value={webhook.secret} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" disabled={url === '' || url === webhook?.url} busy={save.isPending}>
            {text.webhookSave}
          </Button>
          {webhook && <RemoveButton disabled={save.isPending} onClick={() => setRemoving(true)} />}
        </div>
      </form>
      <ConfirmDialog
        open={removing}
        title={text.webhookRemoveTitle}
        about={text.webhookRemoveAbout}
        confirmLabel={text.webhookRemove}
        busyLabel={text.webhookRemoving}
        action={save}
        failed={text.webhookNotSaved}
        onConfirm={() => set(null, text.webhookRemoved)}
        onClose={() => setRemoving(false)}
      />
    </>
  )
}

function RemoveButton({ disabled, onClick }: { disabled: boolean; onClick: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useFocusHandover(button)
  return (
    <Button ref={button} look="danger" disabled={disabled} onClick={onClick}>
      {text.webhookRemove}
    </Button>
  )
}

function Secret({ value }: { value: string }) {
  const [revealed, setRevealed] = useState(false)
  return (
    <div>
      <p className="mb-1.5 font-strong">{text.webhookSecret}</p>
      <div className="flex min-w-0 items-center gap-1">
        <SecretText value={value} revealed={revealed} />
        <RevealButton revealed={revealed} onToggle={() => setRevealed(!revealed)} of="the signing secret" />
        <CopyButton value={value} label="Copy the signing secret" done={text.webhookSecretCopied} />
      </div>
    </div>
  )
}
