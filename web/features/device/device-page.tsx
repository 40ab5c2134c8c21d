import { QueryClientProvider } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { DeviceRequest } from '#contract/oauth-routes.ts'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { shopName } from '../../lib/shop.ts'
import { buttonClass } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { forgetPending, keepPending, readPending } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { CodeForm } from './code-form.tsx'
import { DeviceDecision } from './device-decision.tsx'

/** Where a person types the code that a program shows, for example after `finmeter login`, and connects the program. */
export function DevicePage() {
  const { code } = useSearch({ from: '/device' })
  const [given] = useState(() => code ?? readPending('device') ?? '')
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <CardPage wide label="Connect a program">
          <Guarded given={given} />
        </CardPage>
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

function Guarded({ given }: { given: string }) {
  const { user, loading } = useSession()
  useEffect(() => {
    if (loading) return
    if (user) forgetPending('device')
    else keepPending('device', given)
  }, [given, loading, user])
  if (loading)
    return (
      <Loading label="Checking your session..." className="space-y-3">
        <Skeleton className="h-8 w-64" />
        <Skeleton className="h-11 w-full" />
      </Loading>
    )
  if (user) return <Steps given={given} email={user.email} />
  return (
    <EmptyState
      title="Sign in to connect"
      about={`A program wants to use ${shopName()} on your behalf. Sign in first, then decide.`}
      action={
        <Link to="/login" className={buttonClass({ look: 'primary' })}>
          Sign in
        </Link>
      }
    />
  )
}

type Step = { at: 'code' } | { at: 'decision'; code: string; request: DeviceRequest } | { at: 'end'; allowed: boolean }

function Steps({ given, email }: { given: string; email: string | null }) {
  const [step, setStep] = useState<Step>({ at: 'code' })
  if (step.at === 'code')
    return (
      <CodeForm given={given} email={email} onFound={(code, request) => setStep({ at: 'decision', code, request })} />
    )
  if (step.at === 'decision')
    return (
      <DeviceDecision
        code={step.code}
        request={step.request}
        email={email}
        onDecided={(allowed) => setStep({ at: 'end', allowed })}
      />
    )
  return <End allowed={step.allowed} />
}

function End({ allowed }: { allowed: boolean }) {
  const title = allowed ? 'Connected' : 'Not connected'
  const heading = usePageHeading(title)
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
        {title}
      </h1>
      <p className="mt-2 text-muted">
        {allowed
          ? 'The program continues within a few seconds. You can close this page.'
          : 'The program gets no access. You can close this page.'}
      </p>
    </>
  )
}
