import { QueryClientProvider, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ConsentRequest } from '#contract/oauth-routes.ts'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { api } from '../../lib/http/api.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { shopName } from '../../lib/shop.ts'
import { buttonClass } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { forgetPending, keepPending, readPending } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { type AccessChoice, AccessForm } from './access-form.tsx'

const consentQuery = (id: string) =>
  queryOptions({
    queryKey: ['consent', id],
    queryFn: ({ signal }) => api('getConsentRequest', { params: { id }, signal }).then((data) => data.request),
    retry: false,
  })
/** The OAuth consent page: which client asks, for what access, and how much it can spend. */
export function ConsentPage() {
  const { request } = useSearch({ from: '/connect' })
  const [id] = useState(() => request ?? readPending('consent'))
  const navigate = useNavigate()
  // After sign-in the request is in this tab's storage but not in the URL; put it there so that a reload works.
  useEffect(() => {
    if (id && !request) void navigate({ to: '/connect', search: { request: id }, replace: true })
  }, [id, request, navigate])
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <CardPage wide label="Connect an application">
          {id ? <Guarded id={id} /> : <Gone />}
        </CardPage>
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

function Guarded({ id }: { id: string }) {
  const { user, loading } = useSession()
  useEffect(() => {
    if (!loading && !user) keepPending('consent', id)
  }, [id, loading, user])
  if (loading) return <Waiting />
  if (user) return <Request id={id} email={user.email} />
  return (
    <EmptyState
      title="Sign in to connect"
      about={`An application wants to use ${shopName()} on your behalf. Sign in first, then decide.`}
      action={
        <Link to="/login" className={buttonClass({ look: 'primary' })}>
          Sign in
        </Link>
      }
    />
  )
}

function Request({ id, email }: { id: string; email: string | null }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(consentQuery(id))
  useEffect(() => forgetPending('consent'), [])
  if (isPending) return <Waiting />
  if (error instanceof ApiError && error.status === 404) return <Gone />
  if (!data)
    return <ErrorState title="The request could not be loaded" error={error} onRetry={refetch} retrying={isFetching} />
  return <Decision id={id} request={data} email={email} />
}

function Decision({ id, request, email }: { id: string; request: ConsentRequest; email: string | null }) {
  const heading = usePageHeading('Connect an application')
  const decide = useMutation({
    mutationFn: (choice: AccessChoice) =>
      choice.allow
        ? api('approveConsentRequest', { params: { id }, body: { monthlyCredits: choice.monthlyCredits } })
        : api('denyConsentRequest', { params: { id } }),
    onSuccess: ({ redirectTo }) => location.assign(redirectTo),
  })
  return (
    <AccessForm
      scopes={request.scopes}
      busy={decide.isPending || decide.isSuccess}
      error={decide.error}
      onDecide={decide.mutate}
    >
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong break-words">
        Connect {request.clientName}?
      </h1>
      <p className="mt-2 text-muted">
        {request.clientHost
          ? `The application is at ${request.clientHost}.`
          : 'The application chose this name itself.'}{' '}
        Your decision is sent to <strong className="wrap-anywhere text-ink">{request.redirectHost}</strong>
        {email && `. You are signed in as ${email}`}.
      </p>
    </AccessForm>
  )
}

const Waiting = () => (
  <Loading label="Loading the request..." className="space-y-3">
    <Skeleton className="h-8 w-64" />
    <Skeleton className="h-4 w-48" />
    <Skeleton className="h-11 w-full" />
  </Loading>
)

function Gone() {
  const heading = usePageHeading('Connect an application')
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="sr-only">
        Connect an application
      </h1>
      <EmptyState
        title="This request was already answered or has expired"
        about="Nothing was connected. Start again from the application."
      />
    </>
  )
}
