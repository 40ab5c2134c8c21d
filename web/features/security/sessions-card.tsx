import { useQuery } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { AccountSession } from '#contract/account.ts'
import { messageOf } from '../../lib/api-error.ts'
import { formatAgo, formatDate } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { toast } from '../../ui/toast-store.ts'
import { deviceName, isHandheld } from './device-name.ts'
import { sessionsQuery, useSignOutOthers } from './queries.ts'
import { securityText as text } from './text.ts'

/** Where the person is signed in, and the way to end all of it but this. */
export function SessionsCard() {
  const { data: sessions, error, isPending, isFetching, refetch } = useQuery(sessionsQuery)
  const [asking, setAsking] = useState(false)
  const signOutOthers = useSignOutOthers()
  const others = sessions?.filter(({ current }) => !current).length ?? 0

  return (
    <Card title={text.sessions} about={text.sessionsAbout}>
      {isPending && (
        <Loading label={text.sessionsLoading} className="space-y-3">
          <Skeleton className="h-9 w-full" />
          <Skeleton className="h-9 w-full" />
        </Loading>
      )}
      {error && sessions === undefined && (
        <ErrorState title={text.sessionsFailed} error={error} onRetry={refetch} retrying={isFetching} />
      )}
      {sessions === null && <p className="text-muted">{text.sessionsElsewhere}</p>}
      {sessions && (
        <div className="space-y-4">
          <ul className="divide-y divide-line">
            {sessions.map((session) => (
              <Session key={session.id} session={session} />
            ))}
          </ul>
          {others > 0 ? (
            <Button onClick={() => setAsking(true)}>{text.signOutOthers}</Button>
          ) : (
            <p className="text-muted">{text.noOthers}</p>
          )}
        </div>
      )}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={text.signOutOthersTitle}
        about={text.signOutOthersAbout}
        confirmLabel={text.signOutOthers}
        busyLabel={text.signingOut}
        busy={signOutOthers.isPending}
        error={signOutOthers.isError ? messageOf(signOutOthers.error, text.signOutFailed) : null}
        onConfirm={() =>
          signOutOthers.mutate(undefined, {
            onSuccess: () => {
              toast({ title: text.signedOutOthers })
              setAsking(false)
            },
          })
        }
      />
    </Card>
  )
}

function Session({ session }: { session: AccountSession }) {
  const now = useNow()
  const Icon = isHandheld(session.user_agent) ? Smartphone : Monitor
  const facts = [
    session.ip,
    text.lastActive(formatAgo(session.refreshed_at, now)),
    text.since(formatDate(session.created_at)),
  ].filter(Boolean)
  return (
    <li className="flex items-center gap-3 py-2.5 first:pt-0">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-strong">
          {deviceName(session.user_agent) ?? text.unknownDevice}
          {session.current && <Badge tone="success">{text.thisSession}</Badge>}
          {session.second_factor && <Badge>{text.withFactor}</Badge>}
        </p>
        <p className="wrap-anywhere text-muted">{facts.join(' · ')}</p>
      </div>
    </li>
  )
}
