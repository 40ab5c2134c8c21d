import { createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { ErrorPage } from './layout/error-page.tsx'
import { routeTree } from './routeTree.gen.ts'

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: lazyRouteComponent(() => import('./layout/not-found-page.tsx'), 'NotFoundPage'),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
