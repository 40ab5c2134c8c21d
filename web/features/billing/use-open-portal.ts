import { useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { openPortalTab } from './open-portal-tab.ts'
import { billingText as text } from './text.ts'

/** A button that opens the portal: busy until its address is known, and why it could not be opened. */
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
