import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { AccountSession } from '#contract/account.ts'
import { formatAgo, formatClock, formatDate } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/dialog/confirm-dialog.tsx'
import { useFocusHandover } from '../../ui/focus-near.ts'
import { Monitor, Smartphone } from '../../ui/icons/dashboard.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { deviceName, isHandheld } from './device-name.ts'
import { sessionsQuery, useEndSession, useSignOutOthers } from './queries.ts'
import { securityText as text } from './text.ts'

/** The user's sessions, and a button to end all others. */
export function SessionsCard() {
  const query = useQuery(sessionsQuery)
  const { data: sessions } = query
  const signOutOthers = useSignOutOthers()
  const others = sessions?.filter(({ current }) => !current).length ?? 0

  return (
    <Card title={text.sessions} about={text.sessionsAbout}>
      <QueryState
        query={query}
        loading={text.sessionsLoading}
        bars={['h-9 w-full', 'h-9 w-full']}
        failed={text.sessionsFailed}
      />
      {sessions === null && <p className="text-muted">{text.sessionsElsewhere}</p>}
      {sessions && (
        <>
          <ul className="mb-2 divide-y divide-line">
            {sessions.map((session) => (
              <Session key={session.id} session={session} />
            ))}
          </ul>
          {others > 0 ? (
            <ConfirmButton
              look="secondary"
              title={text.signOutOthersTitle}
              about={text.signOutOthersAbout}
              confirmLabel={text.signOutOthers}
              busyLabel={text.signingOut}
              action={signOutOthers}
              failed={text.signOutFailed}
              onConfirm={(close) =>
                signOutOthers.mutate(undefined, {
                  onSuccess: () => {
                    toast({ title: text.signedOutOthers })
                    close()
                  },
                })
              }
            />
          ) : (
            <p className="text-muted">{text.noOthers}</p>
          )}
        </>
      )}
    </Card>
  )
}

function Session({ session }: { session: AccountSession }) {
  const now = useNow()
  const Icon = isHandheld(session.user_agent) ? Smartphone : Monitor
  const end = useEndSession()
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row)
  const device = deviceName(session.user_agent) ?? text.unknownDevice
  // The row may go before the mutation's own callbacks: those of a component that has gone are not called.
  const signOut = () =>
    end.mutateAsync(session.id).then(
      () => toast({ title: text.signedOutOne(device) }),
      () => {},
    )
  const facts = [session.ip, text.lastActive(formatAgo(session.refreshed_at, now))].filter(Boolean)
  // Sessions of one day on one device differ in nothing else.
  const since = text.since(`${formatDate(session.created_at)}, ${formatClock(session.created_at)}`)
  return (
    <li ref={row} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-2.5">
      <Icon aria-hidden="true" className="size-5 text-muted sm:row-span-2" />
      <p className="flex flex-wrap items-center gap-2 font-strong">
        {device}
        {session.current && <Badge tone="success">{text.thisSession}</Badge>}
        {session.second_factor && <Badge>{text.withFactor}</Badge>}
      </p>
      <div className="col-start-2 row-start-2 max-sm:col-end-4">
        <p className="wrap-anywhere text-muted">
          {facts.join(' · ')}
          <span className="max-sm:sr-only"> · </span>
          <span className="max-sm:block">{since}</span>
        </p>
        {end.error && (
          <p role="alert" className="text-danger">
            {messageOf(end.error, text.signOutOneFailed)}
          </p>
        )}
      </div>
      {!session.current && (
        <Button
          size="small"
          className="col-start-3 row-start-1 sm:row-span-2"
          busy={end.isPending}
          aria-label={text.signOutOne(device)}
          onClick={signOut}
        >
          {text.signOut}
        </Button>
      )}
    </li>
  )
}
