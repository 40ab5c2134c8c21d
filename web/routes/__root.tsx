import { createRootRoute, Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { view } from '../lib/auth/view.ts'
import { loadSettings } from '../lib/settings.ts'
import { ToastOutlet } from '../ui/toast/toast-outlet.tsx'

export const Route = createRootRoute({
  loader: () => loadSettings(),
  staleTime: Number.POSITIVE_INFINITY,
  component: Root,
})

const ViewBar = lazy(() => import('../features/support-view/view-bar.tsx'))
const never = () => () => {}

function Root() {
  // The server renders every page without it.
  const viewed = useSyncExternalStore(
    never,
    () => view,
    () => null,
  )
  return (
    <>
      <Outlet />
      {viewed && (
        <Suspense>
          <ViewBar of={viewed} />
        </Suspense>
      )}
      <ToastOutlet />
    </>
  )
}
