import type { UserIdentity } from '@supabase/auth-js'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { type ProviderName, useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { ProviderIcon } from '../auth/provider-icon.tsx'
import { providerLabel } from '../auth/text.ts'
import { ProveDialog } from './prove-dialog.tsx'
import { authUserQuery, useConnect, useDisconnect } from './queries.ts'
import { securityText as text } from './text.ts'

/** The accounts the user can sign in with: the configured providers, connected or not, and any others. */
export function AccountsCard() {
  const { providers } = useSettings()
  const query = useQuery(authUserQuery)
  const { data: user } = query
  const failedBefore = useLocation({ select: (location) => location.state.connectError })
  const [leaving, setLeaving] = useState<UserIdentity | null>(null)
  /** What waits for a current code of a second factor. */
  const [waiting, setWaiting] = useState<(() => void) | null>(null)
  const connect = useConnect()
  const identities = user?.identities ?? []
  const factors = user?.factors?.filter(({ status }) => status === 'verified') ?? []
  const proved = (act: () => void) => (factors.length > 0 ? setWaiting(() => act) : act())
  const others = identities.filter(({ provider }) => !providers.includes(provider as ProviderName))
  const failure = connect.isError ? messageOf(connect.error, text.connectFailed) : failedBefore

  return (
    <Card title={text.accounts} about={text.accountsAbout}>
      <QueryState
        query={query}
        loading={text.accountsLoading}
        bars={['h-9 w-full', 'h-9 w-full']}
        failed={text.accountsFailed}
      />
      {user && (
        <ul className="divide-y divide-line">
          {providers.flatMap((provider) => {
            const held = identities.filter((identity) => identity.provider === provider)
            if (held.length > 0)
              return held.map((identity) => (
                <Account
                  key={identity.identity_id}
                  identity={identity}
                  only={identities.length === 1}
                  onDisconnect={(one) => proved(() => setLeaving(one))}
                />
              ))
            return [
              <li key={provider} className="flex flex-wrap items-center gap-3 py-2.5">
                <ProviderIcon provider={provider} />
                <div className="min-w-0 flex-1">
                  <p className="font-strong">{providerLabel[provider]}</p>
                  <p className="text-muted">{text.notConnected}</p>
                </div>
                <Button
                  size="small"
                  aria-label={text.connectTo(providerLabel[provider])}
                  busy={connect.isPending && connect.variables === provider}
                  disabled={connect.isPending}
                  onClick={() => proved(() => connect.mutate(provider))}
                >
                  {connect.isPending && connect.variables === provider ? text.connecting : text.connect}
                </Button>
              </li>,
            ]
          })}
          {others.map((identity) => (
            <Account
              key={identity.identity_id}
              identity={identity}
              only={identities.length === 1}
              onDisconnect={(one) => proved(() => setLeaving(one))}
            />
          ))}
        </ul>
      )}
      <p role="alert" className="text-danger not-empty:mt-3">
        {failure}
      </p>
      {user && identities.length === 1 && <p className="mt-3 text-small text-muted">{text.lastAccount}</p>}
      {waiting && (
        <ProveDialog
          factors={factors}
          onProved={() => {
            waiting()
            setWaiting(null)
          }}
          onClose={() => setWaiting(null)}
        />
      )}
      {leaving && <DisconnectDialog identity={leaving} onClose={() => setLeaving(null)} />}
    </Card>
  )
}

interface AccountProps {
  identity: UserIdentity
  /** It is the last account. */
  only: boolean
  onDisconnect: (identity: UserIdentity) => void
}

function Account({ identity, only, onDisconnect }: AccountProps) {
  const name = labelOf(identity)
  const login = identity.identity_data?.user_name
  const shown = [login, identity.identity_data?.email].filter(Boolean)
  return (
    <li className="flex flex-wrap items-center gap-3 py-2.5">
      {identity.provider in providerLabel && <ProviderIcon provider={identity.provider as ProviderName} />}
      <div className="min-w-0 flex-1">
        <p className="font-strong">{name}</p>
        <p className="text-muted [overflow-wrap:anywhere]">
          {shown.map((fact) => (
            <span key={fact} className="max-sm:block sm:not-first:before:px-1.5 sm:not-first:before:content-['·']">
              {fact}
            </span>
          ))}
        </p>
      </div>
      <Button
        size="small"
        aria-label={text.disconnectFrom(name)}
        disabled={only}
        onClick={() => onDisconnect(identity)}
      >
        {text.disconnect}
      </Button>
    </li>
  )
}

function DisconnectDialog({ identity, onClose }: { identity: UserIdentity; onClose: () => void }) {
  const disconnect = useDisconnect()
  const name = labelOf(identity)
  return (
    <ConfirmDialog
      title={text.disconnectTitle(name)}
      about={text.disconnectAbout(name)}
      confirmLabel={text.disconnect}
      busyLabel={text.disconnecting}
      action={disconnect}
      failed={text.disconnectFailed}
      onClose={onClose}
      onConfirm={() =>
        disconnect.mutate(identity, {
          onSuccess: () => {
            toast({ title: text.disconnected(name) })
            onClose()
          },
        })
      }
    />
  )
}

const labelOf = ({ provider }: UserIdentity): string =>
  provider === 'email' ? text.email : (providerLabel[provider as ProviderName] ?? provider)
