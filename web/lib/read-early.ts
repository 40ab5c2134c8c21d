import type { EarlyReads } from './early-reads.ts'

interface Reads {
  /** Asked for the person, whatever workspace is selected. */
  own: string[]
  selected: string[]
}

/** What the dashboard's pages read first, by route; with the addresses exactly as the queries write them. */
const reads: Record<string, string[]> = {
  '/dashboard/': ['/api/keys', '/api/billing/subscription', '/api/billing/credits', '/api/usage?range=30d'],
  '/dashboard/api-keys/': ['/api/keys', '/api/billing/subscription'],
  '/dashboard/billing/': [
    '/api/billing/plans',
    '/api/billing/subscription',
    '/api/billing/credits',
    '/api/billing/credits/topup',
  ],
  '/dashboard/billing/invoices': ['/billing/invoices'],
  '/dashboard/playground': ['/api/keys'],
  '/dashboard/settings/': ['/api/auth/profile', '/api/billing/preferences', '/api/billing/subscription'],
  '/dashboard/settings/team': ['/api/team'],
}

/**
 * A script for the head of a page of the dashboard; null for any other. Where a session is stored it asks for the page's
 * data at once, which the application would ask for only when it is there: on a slow line a second later.
 */
export function readEarlyScript(routeId: string): string | null {
  const selected = reads[routeId === '/' ? '/dashboard/' : routeId]
  return selected ? `(${readEarly})(${JSON.stringify({ own: ['/api/workspaces'], selected } satisfies Reads)})` : null
}

/** Travels as text: it knows nothing but what it is given. The names in storage are those of session.ts and workspace.ts. */
function readEarly({ own, selected }: Reads): void {
  try {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token') ?? '{}')
    // A token that is about to expire is refreshed before anything is asked.
    if (!(session.expires_at * 1000 > Date.now() + 90_000)) return
    const authorization = `Bearer ${session.access_token}`
    const chosen = sessionStorage.getItem('finmeter.workspace') ?? localStorage.getItem('finmeter.workspace')
    const answers: EarlyReads['answers'] = {}
    const read = (path: string, workspace: string | null) => {
      // A page with a query of its own may ask for another range.
      if (path.includes('?') && location.search) return
      const headers = { authorization, ...(workspace && { 'x-workspace-id': workspace }) }
      const answer = fetch(path, { headers, credentials: 'omit' })
      // Who takes the answer learns of its failure; nobody may.
      answer.catch(() => {})
      answers[path] = { workspace, answer }
    }
    for (const path of own) read(path, null)
    for (const path of selected) read(path, chosen)
    globalThis.earlyReads = { authorization, answers }
  } catch {
    // Storage may be forbidden, or hold what is no session: the application finds out.
  }
}
