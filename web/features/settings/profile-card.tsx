import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '#contract/account.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { UserRound } from '../../ui/icons/dashboard.ts'
import { currentSubscription } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { EmailField } from '../security/email-field.tsx'
import { displayName } from './display-name.ts'
import { settingsText as text } from './text.ts'

/** The signed-in user, the plan badge and three read-only fields. */
export function ProfileCard({ user }: { user: User }) {
  const { data: subscription } = useQuery(subscriptionQuery)
  const email = user.email || null
  const name = displayName({ fullName: user.user_metadata.full_name, email })
  return (
    <Card title={text.account}>
      <div className="flex items-center gap-4">
        <Picture url={user.user_metadata.avatar_url} />
        <div className="min-w-0">
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <bdi className="max-w-full truncate text-prose font-strong" title={name}>
              {name}
            </bdi>
            {subscription && <Badge tone="accent">{currentSubscription(subscription)?.plan.name ?? text.free}</Badge>}
          </p>
          <p className="truncate text-muted">{email ?? text.noAddress}</p>
        </div>
      </div>
      <div className="mt-5 grid gap-x-8 [&_input:read-only]:-mt-1 [&_input:read-only]:-ml-px [&_input:read-only]:h-7! gap-y-4 sm:grid-cols-2 xl:grid-cols-[minmax(0,3fr)_minmax(0,5fr)_minmax(0,6fr)]">
        <TextField label={text.accountName} value={name} readOnly dir="auto" />
        <EmailField label={text.email} email={email} none={text.noEmail} />
        <div className="flex items-end gap-1 max-xl:sm:col-span-2">
          <TextField
            label={text.userId}
            value={user.id}
            readOnly
            className="min-w-0 max-w-66 flex-1 [&_input]:font-mono [&_input]:text-small! [&_input]:tracking-tight"
          />
          <CopyButton value={user.id} label="Copy the user ID" done={text.idCopied} />
        </div>
      </div>
    </Card>
  )
}

/** The user's picture, else an icon. */
function Picture({ url }: { url: string | null }) {
  const [failed, setFailed] = useState(false)
  if (url && !failed)
    return (
      <img
        src={url}
        alt=""
        width={128}
        height={128}
        referrerPolicy="no-referrer"
        onError={() => setFailed(true)}
        className="size-16 shrink-0 rounded-full border border-line object-cover"
      />
    )
  return (
    <span className="grid size-16 shrink-0 place-items-center rounded-full border border-line bg-sunken text-muted">
      <UserRound aria-hidden="true" className="size-7" />
    </span>
  )
}
