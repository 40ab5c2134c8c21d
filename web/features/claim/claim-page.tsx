import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { OfferedBalance } from '#contract/balances.ts'
import { formatMoney } from '#contract/currency.ts'
import { CardPage } from '../../layout/card-page.tsx'
import { useSession } from '../../lib/auth/session.ts'
import { formatMoment, formatWhole } from '../../lib/format.ts'
import { ApiError, messageOf } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { forgetPending, takeSecret } from '../auth/pending.ts'
import { SecondFactorGate } from '../security/second-factor-gate.tsx'
import { balanceQuery, useClaimBalance } from './queries.ts'
import { claimText as text } from './text.ts'

/** The page of an agent's link: shows the balance, and makes the person its owner. */
export function ClaimPage() {
  const [token] = useState(() => takeSecret('claim'))
  return (
    <QueryClientProvider client={queryClient}>
      <SecondFactorGate>
        <CardPage wide label={text.title}>
          {token ? <Claim token={token} /> : <Gone />}
        </CardPage>
      </SecondFactorGate>
    </QueryClientProvider>
  )
}

function Claim({ token }: { token: string }) {
  const { user, loading } = useSession()
  if (loading) return <Waiting />
  if (user) return <Balance token={token} />
  return (
    <>
      <Heading>{text.title}</Heading>
      <p className="mt-2 text-muted">{text.signedOutAbout}</p>
      <Link to="/login" className={buttonClass({ look: 'primary', size: 'large', wide: true, className: 'mt-6' })}>
        {text.logIn}
      </Link>
    </>
  )
}

function Balance({ token }: { token: string }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(balanceQuery(token))
  const claim = useClaimBalance()
  const navigate = useNavigate()
  if (isPending) return <Waiting />
  if (error instanceof ApiError && error.status === 404) return <Gone />
  if (!data) return <ErrorState title={text.failed} error={error} onRetry={refetch} retrying={isFetching} />
  const take = () =>
    claim.mutate(token, {
      onSuccess: ({ name }) => {
        forgetPending('claim')
        if (!data.workspace) toast({ title: text.claimed(name) })
        return navigate({ to: '/dashboard' })
      },
    })
  const label = data.workspace ? text.open : text.claim
  return (
    <>
      {data.workspace ? (
        <>
          <Heading>{text.own}</Heading>
          <p className="mt-2 break-words text-muted">{text.ownAbout(data.workspace.name)}</p>
        </>
      ) : (
        <Offer balance={data} />
      )}
      <p role="alert" className="text-danger not-empty:mt-4">
        {claim.isError && messageOf(claim.error, text.claimFailed)}
      </p>
      <Button look="primary" size="large" wide busy={claim.isPending} className="mt-6" onClick={take}>
        {claim.isPending ? text.claiming : label}
      </Button>
    </>
  )
}

function Offer({ balance: { credits, purchases, expires_at } }: { balance: OfferedBalance }) {
  return (
    <>
      <Heading>{text.heading}</Heading>
      <p className="mt-2 text-prose font-strong">{text.left(creditsText(credits))}</p>
      <p className="mt-2 text-muted">{text.about}</p>
      <h2 className="mt-6 font-strong">{text.purchases}</h2>
      <ul className="mt-2 space-y-1.5">
        {purchases.map(({ payment, at, credits: bought, cents }) => (
          <li key={payment} className="flex flex-wrap justify-between gap-x-4">
            <span>{text.purchase(creditsText(bought), formatMoney(cents, 'usd', true))}</span>
            <span className="text-muted">{formatMoment(at)}</span>
          </li>
        ))}
      </ul>
      <p className="mt-4 text-muted">{text.expires(formatMoment(expires_at))}</p>
    </>
  )
}

const creditsText = (count: number): string => `${formatWhole(count)} ${count === 1 ? 'credit' : 'credits'}`

function Waiting() {
  return (
    <Loading label={text.loading} className="space-y-3">
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-11 w-full" />
    </Loading>
  )
}

function Heading({ children }: { children: ReactNode }) {
  const heading = usePageHeading(text.title)
  return (
    <h1 ref={heading} tabIndex={-1} className="text-title font-strong text-balance break-words">
      {children}
    </h1>
  )
}

function Gone() {
  const { user, loading } = useSession()
  useEffect(() => forgetPending('claim'), [])
  return (
    <>
      <Heading>{text.gone}</Heading>
      <ul className="mt-4 list-disc space-y-1.5 pl-5 text-muted marker:text-muted">
        {text.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p className="mt-4">{text.goneAbout}</p>
      {!loading && (
        <Link
          to={user ? '/dashboard' : '/login'}
          className={buttonClass({ size: 'large', wide: true, className: 'mt-6' })}
        >
          {user ? text.toDashboard : text.toLogin}
        </Link>
      )}
    </>
  )
}
