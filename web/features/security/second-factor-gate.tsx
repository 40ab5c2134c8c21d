import { lazy, type ReactNode, Suspense } from 'react'
import { layoutText } from '../../layout/text.ts'
import { useSession } from '../../lib/session.ts'
import { PageSpinner } from '../../ui/spinner.tsx'

const SecondFactorPage = lazy(() => import('./second-factor-page.tsx'))

/** A page that acts for the person, in whose place the code is asked for while the session has yet to give it. */
export function SecondFactorGate({ children }: { children: ReactNode }) {
  const { awaitsSecondFactor } = useSession()
  if (!awaitsSecondFactor) return children
  return (
    <Suspense fallback={<PageSpinner label={layoutText.checkingSession} />}>
      <SecondFactorPage />
    </Suspense>
  )
}
