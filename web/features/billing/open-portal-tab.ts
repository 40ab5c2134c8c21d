import { openPortal } from './queries.ts'

/**
 * Opens the billing portal in a new tab. The tab is opened at once, while the browser still counts it as the click's,
 * and sent on when the address is known; it is closed again when that fails. Throws what the server answered.
 */
export async function openPortalTab(): Promise<void> {
  const tab = window.open('about:blank', '_blank')
  if (tab) tab.opener = null
  try {
    const { url } = await openPortal(`${location.origin}/dashboard/billing/`)
    // A browser that allows no new tab shows the portal in this one.
    if (tab) tab.location.replace(url)
    else location.assign(url)
  } catch (error) {
    tab?.close()
    console.error('The billing portal could not be opened:', error instanceof Error ? error.message : 'unknown')
    throw error
  }
}
