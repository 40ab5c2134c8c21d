import { lazy, type ReactNode, Suspense } from 'react'
import { layoutText } from '../../layout/text.ts'
import { useSession } from '../../lib/auth/session.ts'
import { PageSpinner } from '../../ui/spinner.tsx'

const SecondFactorPage = lazy(() => import('./second-factor-page.tsx'))

/** A page that acts for the user, replaced by the code prompt until the session has verified its second factor. */
export function SecondFactorGate({ children }: { children: ReactNode }) {
  const { awaitsSecondFactor } = useSession()
  if (!awaitsSecondFactor) return children
  return (
    <Suspense fallback={<PageSpinner label={layoutText.checkingSession} />}>
      <SecondFactorPage />
    </Suspense>
  )
}
