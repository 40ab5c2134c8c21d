import { createFileRoute } from '@tanstack/react-router'
import { CreditsPage } from '../features/finance/credits-page.tsx'
import { readFinanceSearch } from '../features/finance/search.ts'

export const Route = createFileRoute('/finance/credits')({ validateSearch: readFinanceSearch, component: Page })

function Page() {
  const { month, day } = Route.useSearch()
  return <CreditsPage month={month} day={day} />
}
