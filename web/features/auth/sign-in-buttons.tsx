import { useEffect, useState } from 'react'
import { signInWith } from '../../lib/auth/session.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { type ProviderName, useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { CircleAlert } from '../../ui/icons/public.ts'
import { ProviderIcon } from './provider-icon.tsx'
import { authText } from './text.ts'

interface SignInButtonsProps {
  /** The provider to show first; the others keep their order. */
  first?: ProviderName
  layout: 'column' | 'row'
  /** An earlier error, shown until the next attempt. */
  initialError?: string | null
}

/** One button per configured provider, and the error of the last attempt. */
export function SignInButtons({ first = 'google', layout, initialError = null }: SignInButtonsProps) {
  const { providers } = useSettings()
  const [leavingFor, setLeavingFor] = useState<ProviderName | null>(null)
  const [error, setError] = useState(initialError)

  // The Back button can restore this page in its busy state from the back/forward cache.
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && setLeavingFor(null)
    addEventListener('pageshow', restored)
    return () => removeEventListener('pageshow', restored)
  }, [])

  const signIn = async (provider: ProviderName) => {
    setError(null)
    setLeavingFor(provider)
    try {
      await signInWith(provider)
    } catch (thrown) {
      setError(messageOf(thrown, authText.failedWith(provider)))
      setLeavingFor(null)
    }
  }

  const ordered = [...providers].sort((a, b) => Number(b === first) - Number(a === first))
  return (
    <div className={layout === 'row' ? 'max-sm:w-full' : undefined}>
      <p
        role="alert"
        className="mb-5 flex gap-2.5 rounded-control border border-danger-line bg-danger-soft px-3 py-2 text-balance text-danger empty:hidden"
      >
        {error && (
          <>
            <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
            {error}
          </>
        )}
      </p>
      <div className={layout === 'row' ? 'flex flex-col gap-2.5 sm:flex-row' : 'flex flex-col gap-2.5'}>
        {ordered.map((provider, index) => (
          <Button
            key={provider}
            look={layout === 'row' && index === 0 ? 'primary' : 'secondary'}
            size="large"
            wide={layout === 'column'}
            busy={leavingFor === provider}
            disabled={leavingFor !== null}
            onClick={() => signIn(provider)}
          >
            {leavingFor !== provider && <ProviderIcon provider={provider} />}
            {authText.continueWith(provider)}
          </Button>
        ))}
        {ordered.length === 0 && <p className="text-muted">{authText.noProviders}</p>}
      </div>
    </div>
  )
}
