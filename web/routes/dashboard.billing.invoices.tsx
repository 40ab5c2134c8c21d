import { createFileRoute } from '@tanstack/react-router'
import { InvoicesPage } from '../features/billing/invoices-page.tsx'
import { invoicesQuery } from '../features/billing/queries.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/billing/invoices')({
  loader: () => void queryClient.prefetchQuery(invoicesQuery),
  component: InvoicesPage,
})
