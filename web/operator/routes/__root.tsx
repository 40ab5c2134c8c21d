import { useQuery } from '@tanstack/react-query'
import { createRootRoute, Outlet } from '@tanstack/react-router'
import { ApiError } from '../../lib/http/api-error.ts'
import { loadSettings } from '../../lib/settings.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { Frame } from '../layout/frame.tsx'
import { sessionQuery } from '../lib/api.ts'

export const Route = createRootRoute({
  loader: () => loadSettings(),
  staleTime: Number.POSITIVE_INFINITY,
  component: Root,
})

function Root() {
  const session = useQuery(sessionQuery)
  // The session has ended: an operator gets a new one after signing in.
  if (session.error instanceof ApiError && session.error.status === 404) location.replace('/login?next=/operator')
  if (!session.data)
    return (
      <main className="mx-auto max-w-xl p-8">
        <QueryState
          query={session}
          loading="Opening the console"
          bars={['h-8 w-1/2', 'h-40']}
          failed="The console could not be opened."
        />
      </main>
    )
  return (
    <Frame>
      <Outlet />
    </Frame>
  )
}
