import { createFileRoute } from '@tanstack/react-router'
import { TodayPage } from '../features/today/today-page.tsx'

export const Route = createFileRoute('/')({ component: TodayPage })
