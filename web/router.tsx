import { createRouter, lazyRouteComponent, type RouterHistory } from '@tanstack/react-router'
import { ErrorPage } from './layout/error-page.tsx'
import { routeTree } from './routeTree.gen.ts'

/** The application's router; uses the browser's history by default. */
export const createAppRouter = (history?: RouterHistory) =>
  createRouter({
    routeTree,
    ...(history && { history }),
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    // On the server it would add an inline script to every page.
    scrollRestoration: typeof document !== 'undefined',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: lazyRouteComponent(() => import('./layout/not-found-page.tsx'), 'NotFoundPage'),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
