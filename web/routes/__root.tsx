import { createRootRoute, Outlet } from '@tanstack/react-router'
import { ViewBar } from '../features/support-view/view-bar.tsx'
import { loadSettings } from '../lib/settings.ts'
import { ToastOutlet } from '../ui/toast/toast-outlet.tsx'

export const Route = createRootRoute({
  loader: () => loadSettings(),
  staleTime: Number.POSITIVE_INFINITY,
  component: Root,
})

function Root() {
  return (
    <>
      <Outlet />
      <ViewBar />
      <ToastOutlet />
    </>
  )
}
