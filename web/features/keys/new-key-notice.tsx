import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { holdNewKey, useNewKey } from './new-key.ts'

const NewKeyCard = lazy(() => import('./new-key-card.tsx'))

/**
 * The value of a key just created or rotated, until the page is left. `of`: only this key's. If keys are shown only
 * once, it stays until it is confirmed.
 */
export function NewKeyNotice({ of }: { of?: string }) {
  const created = useNewKey()
  const once = useSettings().keysReveal === 'once'
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') })
  const left = created !== null && !once && created.shownAt !== null && created.shownAt !== path
  useEffect(() => {
    if (left) holdNewKey(null)
  }, [left])
  if (!created || left || (of !== undefined && created.id !== of)) return null
  return (
    <Suspense>
      <NewKeyCard key={created.value} created={created} once={once} path={path} />
    </Suspense>
  )
}
