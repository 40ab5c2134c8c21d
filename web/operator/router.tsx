import { createRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/states.tsx'
import { MissingPage } from './layout/missing-page.tsx'
import { routeTree } from './routes.tsx'

export const router = createRouter({
  routeTree,
  basepath: '/operator',
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <ErrorState title="This page failed." error={error} onRetry={reset} />,
  defaultNotFoundComponent: MissingPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
