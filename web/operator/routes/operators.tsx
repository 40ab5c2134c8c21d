import { createFileRoute } from '@tanstack/react-router'
import { OperatorsPage } from '../features/operators/operators-page.tsx'

export const Route = createFileRoute('/operators')({ component: OperatorsPage })
