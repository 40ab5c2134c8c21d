import { createFileRoute } from '@tanstack/react-router'
import { SpreadsheetsPage } from '../features/spreadsheets/spreadsheets-page.tsx'

export const Route = createFileRoute('/dashboard/spreadsheets')({ component: SpreadsheetsPage })
