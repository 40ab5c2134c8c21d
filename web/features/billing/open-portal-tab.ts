import { openPortal } from './queries.ts'

/**
 * Opens the billing portal in a new tab. The tab opens synchronously, so that popup blockers allow it, and navigates
 * when the URL is known; on failure it closes again. Throws the server's error.
 */
export async function openPortalTab(): Promise<void> {
  const tab = window.open('about:blank', '_blank')
  if (tab) tab.opener = null
  try {
    const { url } = await openPortal(`${location.origin}/dashboard/billing/`)
    // If popups are blocked, the portal opens in this tab.
    if (tab) tab.location.replace(url)
    else location.assign(url)
  } catch (error) {
    tab?.close()
    console.error('The billing portal could not be opened:', error instanceof Error ? error.message : 'unknown')
    throw error
  }
}
