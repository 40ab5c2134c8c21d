import { createFileRoute } from '@tanstack/react-router'
import { JournalPage } from '../features/finance/journal-page.tsx'
import { readFinanceSearch } from '../features/finance/search.ts'

export const Route = createFileRoute('/finance/journal')({ validateSearch: readFinanceSearch, component: Page })

function Page() {
  const { month } = Route.useSearch()
  return <JournalPage month={month} />
}
