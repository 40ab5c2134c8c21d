import { createFileRoute } from '@tanstack/react-router'
import HomePage from '../features/home/home-page.tsx'
import { onlyUnnamed } from '../lib/only-unnamed.ts'

/** The demonstration shop, as its customers see it. */
export const Route = createFileRoute('/demo')({ beforeLoad: onlyUnnamed, component: () => <HomePage /> })
