import { QueryClientProvider, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { ConsentRequest } from '#contract/oauth-routes.ts'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { formatWhole } from '../../lib/format.ts'
import { api } from '../../lib/http/api.ts'
import { ApiError, messageOf } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { forgetPending, keepPending, readPending } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'

const consentQuery = (id: string) =>
  queryOptions({
    queryKey: ['consent', id],
    queryFn: ({ signal }) => api('getConsentRequest', { params: { id }, signal }).then((data) => data.request),
    retry: false,
  })
/** The server's maximum. */
const mostCredits = 1_000_000_000
const scopeTexts: Record<string, (workspace: string) => string> = {
  'data:read': (workspace) => `Read market data with the tools, charged to the credits of ${workspace}`,
}

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
      title="Log in to connect"
      about="An application wants to use Finmeter on your behalf. Log in first, then decide."
      action={
        <Link to="/login" className={buttonClass({ look: 'primary' })}>
          Log In
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
  const { workspaces, current } = useWorkspaces()
  const switchTo = useSwitchWorkspace()
  const [budget, setBudget] = useState('')
  const credits = budget.trim() === '' ? null : Number(budget)
  const wrong =
    credits === null
      ? null
      : !Number.isInteger(credits) || credits < 0
        ? 'Enter a whole number of credits, or leave it blank.'
        : credits > mostCredits
          ? `Enter at most ${formatWhole(mostCredits)} credits, or leave it blank.`
          : null
  const mayAllow = current?.role !== 'member'
  const decide = useMutation({
    mutationFn: (choice: 'approve' | 'deny') =>
      choice === 'approve'
        ? api('approveConsentRequest', { params: { id }, body: { monthlyCredits: credits } })
        : api('denyConsentRequest', { params: { id } }),
    onSuccess: ({ redirectTo }) => location.assign(redirectTo),
  })
  const busy = decide.isPending || decide.isSuccess
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!wrong && mayAllow) decide.mutate('approve')
  }
  return (
    <form onSubmit={submit}>
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
      <h2 className="mt-5 font-strong">It will be able to</h2>
      <ul className="mt-1 list-disc space-y-1 pl-5">
        {request.scopes.map((scope) => (
          <li key={scope} className="break-words">
            {scopeTexts[scope]?.(workspaces.length > 1 && current ? current.name : 'this workspace') ?? scope}
          </li>
        ))}
      </ul>
      {workspaces.length > 1 && (
        <SelectField
          className="mt-5"
          label="Workspace"
          value={current?.id ?? ''}
          onChange={({ target: { value } }) => {
            const chosen = workspaces.find((one) => one.id === value)
            if (chosen) void switchTo(chosen)
          }}
        >
          {workspaces.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        className="mt-5"
        label="Credits per month"
        inputMode="numeric"
        placeholder="No separate limit"
        value={budget}
        error={wrong}
        hint="The most this application can spend. Leave blank to allow all credits of the workspace."
        onChange={(event) => setBudget(event.target.value)}
      />
      <p className="mt-4 text-small text-muted">
        It appears as a separate key under API Keys. Delete that key to disconnect it.
      </p>
      {!mayAllow && (
        <p className="mt-4">
          Only owners and admins can connect applications to this workspace. Choose another workspace.
        </p>
      )}
      <p role="alert" className="text-danger not-empty:mt-4">
        {decide.isError && messageOf(decide.error, 'The decision could not be saved. Try again.')}
      </p>
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button disabled={busy} onClick={() => decide.mutate('deny')}>
          Deny
        </Button>
        <Button type="submit" look="primary" busy={busy} disabled={wrong !== null || !mayAllow}>
          Allow
        </Button>
      </div>
    </form>
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
