import { useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { openPortalTab } from './open-portal-tab.ts'
import { billingText as text } from './text.ts'

/** State of a button that opens the portal: busy until the URL is known, and the error if it fails. */
export function useOpenPortal() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const open = async () => {
    setError(null)
    setBusy(true)
    try {
      await openPortalTab()
    } catch (thrown) {
      setError(`${text.manageFailed} ${messageOf(thrown, '')}`)
    }
    setBusy(false)
  }
  return { busy, error, open }
}
