import { createFileRoute } from '@tanstack/react-router'
import { DatasetsPage } from '../features/datasets/datasets-page.tsx'

export const Route = createFileRoute('/supply/datasets')({ component: DatasetsPage })
