import { createFileRoute } from '@tanstack/react-router'
import SellPage from '../features/sell/sell-page.tsx'
import { onlyUnnamed } from '../lib/only-unnamed.ts'

export const Route = createFileRoute('/sell')({ beforeLoad: onlyUnnamed, component: () => <SellPage /> })
