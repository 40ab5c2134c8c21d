import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { InvitationPreview } from '#contract/team.ts'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { endSession } from '../../lib/auth/sign-out.ts'
import { ApiError, messageOf } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { forgetPending, takeSecret } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { invitationQuery, useAcceptInvitation } from './queries.ts'
import { invitationText as text } from './text.ts'

/** The page of an emailed invitation: shows it, and joins the workspace after sign-in. */
export function InvitationPage() {
  const [token] = useState(() => takeSecret('invitation'))
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <CardPage wide label={text.title}>
          {token ? <Offer token={token} /> : <Gone />}
        </CardPage>
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

function Offer({ token }: { token: string }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(invitationQuery(token))
  if (isPending)
    return (
      <Loading label={text.loading} className="space-y-3">
        <Skeleton className="h-8 w-64" />
        <Skeleton className="h-4 w-48" />
        <Skeleton className="h-11 w-full" />
      </Loading>
    )
  if (error instanceof ApiError && error.status === 404) return <Gone />
  if (!data) return <ErrorState title={text.failed} error={error} onRetry={refetch} retrying={isFetching} />
  return <Invitation invitation={data} token={token} />
}

function Invitation({ invitation, token }: { invitation: InvitationPreview; token: string }) {
  const { user, loading } = useSession()
  const accept = useAcceptInvitation()
  const navigate = useNavigate()
  const heading = usePageHeading(text.title)
  const { workspace, email, role, invited_by } = invitation
  const mine = user?.email?.toLowerCase() === email
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong break-words">
        {text.heading(workspace)}
      </h1>
      <p className="mt-2 break-words text-muted">
        {text.by(invited_by, text.roles[role])} {text.forAddress(email)}
      </p>
      <p role="alert" className="text-danger not-empty:mt-4">
        {accept.isError && messageOf(accept.error, text.acceptFailed)}
      </p>
      <div className="mt-6 space-y-3">
        {!user && !loading && (
          <Link to="/login" className={buttonClass({ look: 'primary', size: 'large', wide: true })}>
            {text.signIn}
          </Link>
        )}
        {user && mine && (
          <Button
            look="primary"
            size="large"
            wide
            busy={accept.isPending}
            onClick={() =>
              accept.mutate(token, {
                onSuccess: (joined) => {
                  forgetPending('invitation')
                  toast({ title: text.joined(joined.name) })
                  return navigate({ to: '/dashboard' })
                },
              })
            }
          >
            {accept.isPending ? text.accepting : text.accept}
          </Button>
        )}
        {user && !mine && (
          <>
            <p className="break-words">{text.otherAccount(user.email ?? text.noEmail)}</p>
            <Button size="large" wide onClick={endSession}>
              {text.signOut}
            </Button>
          </>
        )}
      </div>
    </>
  )
}

function Gone() {
  const { user, loading } = useSession()
  const heading = usePageHeading(text.title)
  useEffect(() => forgetPending('invitation'), [])
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong text-balance">
        {text.gone}
      </h1>
      <p className="mt-2 text-muted">{text.whyGone}</p>
      <ul className="mt-3 list-disc space-y-1.5 pl-4 text-pretty text-muted marker:text-muted">
        {text.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p className="mt-4 text-pretty">{text.goneAbout}</p>
      {!loading && (
        <Link
          to={user ? '/dashboard' : '/login'}
          className={buttonClass({ look: 'primary', size: 'large', wide: true, className: 'mt-6' })}
        >
          {user ? text.toDashboard : text.logIn}
        </Link>
      )}
    </>
  )
}
