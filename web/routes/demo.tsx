import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { onlyUnnamed } from '../lib/only-unnamed.ts'

/** The demonstration shop, as its customers see it; the root has the same page where there are customers. */
export const Route = createFileRoute('/demo')({
  beforeLoad: onlyUnnamed,
  component: lazyRouteComponent(() => import('../features/home/home-page.tsx')),
})
