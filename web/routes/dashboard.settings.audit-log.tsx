import { createFileRoute } from '@tanstack/react-router'
import { AuditLogPage } from '../features/audit-log/audit-log-page.tsx'
import { auditQuery } from '../features/audit-log/queries.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/settings/audit-log')({
  loader: () => void queryClient.prefetchInfiniteQuery(auditQuery('')),
  component: AuditLogPage,
})
