import { QueryClientProvider, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { ConsentRequest } from '#contract/oauth-routes.ts'
import { PublicLayout } from '../../layout/public-layout.tsx'
import { api } from '../../lib/api.ts'
import { ApiError, messageOf } from '../../lib/api-error.ts'
import { formatWhole } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useSession } from '../../lib/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'
import { forgetConsentRequest, keepConsentRequest, pendingConsentRequest } from './pending.ts'

const requestPath = (id: string) => `/api/oauth/requests/${encodeURIComponent(id)}`
const consentQuery = (id: string) =>
  queryOptions({
    queryKey: ['consent', id],
    queryFn: ({ signal }) => api<{ request: ConsentRequest }>(requestPath(id), { signal }).then((data) => data.request),
    retry: false,
  })
/** What the server takes. */
const mostCredits = 1_000_000_000
const scopeTexts: Record<string, (workspace: string) => string> = {
  'data:read': (workspace) => `Read market data with the tools, charged to the credits of ${workspace}`,
}

/** Where an MCP client sends a person: who asks, for what, and how much it may spend. */
export function ConsentPage() {
  const { request } = useSearch({ from: '/connect' })
  const [id] = useState(() => request ?? pendingConsentRequest())
  const navigate = useNavigate()
  // After sign-in the tab knows it, the address does not: with it there, the page can be loaded again.
  useEffect(() => {
    if (id && !request) void navigate({ to: '/connect', search: { request: id }, replace: true })
  }, [id, request, navigate])
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <PublicLayout>
          <div className="grid flex-1 place-items-center px-4 py-12">
            <section
              aria-label="Connect an application"
              className="w-full max-w-md rounded-card border border-line bg-surface p-6 sm:p-8"
            >
              {id ? <Guarded id={id} /> : <Gone />}
            </section>
          </div>
        </PublicLayout>
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

function Guarded({ id }: { id: string }) {
  const { user, loading } = useSession()
  useEffect(() => {
    if (!loading && !user) keepConsentRequest(id)
  }, [id, loading, user])
  if (loading) return <Waiting />
  if (user) return <Request id={id} email={user.email} />
  return (
    <EmptyState
      title="Log in to connect"
      about="An application wants to use Finmeter for you. Log in first; you decide after that."
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
  useEffect(forgetConsentRequest, [])
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
        ? 'Enter a whole number of credits, or leave it empty.'
        : credits > mostCredits
          ? `Enter at most ${formatWhole(mostCredits)} credits, or leave it empty.`
          : null
  const mayAllow = current?.role !== 'member'
  const decide = useMutation({
    mutationFn: (choice: 'approve' | 'deny') =>
      api<{ redirectTo: string }>(`${requestPath(id)}/${choice}`, {
        method: 'post',
        ...(choice === 'approve' && { json: { monthlyCredits: credits } }),
      }),
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
        {request.clientHost ? `It is the application of ${request.clientHost}.` : 'It chose this name itself.'} The
        answer goes to <strong className="wrap-anywhere text-ink">{request.redirectHost}</strong>
        {email && `; you are ${email}`}.
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
        label="Credits a month"
        inputMode="numeric"
        placeholder="No limit of its own"
        value={budget}
        error={wrong}
        hint="Most that this application may spend. Empty: whatever the workspace has."
        onChange={(event) => setBudget(event.target.value)}
      />
      <p className="mt-4 text-small text-muted">
        It appears under API Keys as a key of its own. Deleting that key ends the connection at once.
      </p>
      {!mayAllow && (
        <p className="mt-4">
          Owners and admins of this workspace connect applications. Choose a workspace of your own.
        </p>
      )}
      <p role="alert" className="text-danger not-empty:mt-4">
        {decide.isError && messageOf(decide.error, 'The decision could not be kept. Try again.')}
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
        title="This request is decided or expired"
        about="Nothing was connected. Start again from the application."
      />
    </>
  )
}
