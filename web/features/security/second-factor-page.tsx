import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { ShopLogo } from '../../layout/shop-logo.tsx'
import { signOutToHome } from '../../lib/auth/sign-out.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FactorProof } from './factor-proof.tsx'
import { authUserQuery } from './queries.ts'
import { securityText as text } from './text.ts'

/** Replaces every dashboard page until the session has verified its second factor. */
export default function SecondFactorPage() {
  return (
    <QueryClientProvider client={queryClient}>
      <Challenge />
    </QueryClientProvider>
  )
}

function Challenge() {
  const heading = usePageHeading(text.challengeTitle)
  const { links } = useSettings()
  const query = useQuery(authUserQuery)
  const { data: user } = query
  const factors = user?.factors?.filter(({ status }) => status === 'verified') ?? []
  const phoneOnly = factors.length > 0 && factors.every(({ factor_type }) => factor_type === 'phone')
  // The client updates the session state, and the page behind appears.
  const onProved = () => {
    void queryClient.invalidateQueries()
  }
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-12">
      <section className="w-full max-w-sm rounded-card border border-line bg-surface p-6 sm:p-8">
        <ShopLogo />
        <h1 ref={heading} tabIndex={-1} className="mt-6 text-title font-strong">
          {text.challengeTitle}
        </h1>
        <p className="mt-1 mb-6 text-muted">{phoneOnly ? text.challengePhoneAbout : text.challengeAbout}</p>
        <QueryState query={query} loading={text.factorsLoading} bars={['h-9 w-56']} failed={text.factorsFailed} />
        {user && <FactorProof factors={factors} onProved={onProved} />}
        <p className="mt-6 text-small text-pretty wrap-anywhere text-muted">
          {text.lostDevice}{' '}
          <a href={`mailto:${links.supportEmail}`} className="underline underline-offset-4 hover:text-ink">
            {links.supportEmail}
          </a>
          .
        </p>
        <div className="mt-4 border-t border-line pt-4">
          <Button size="small" onClick={() => void signOutToHome()}>
            {text.signOut}
          </Button>
        </div>
      </section>
    </main>
  )
}
