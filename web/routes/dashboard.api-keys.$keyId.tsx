import { createFileRoute, useParams } from '@tanstack/react-router'
import { KeyPage } from '../features/keys/key-page.tsx'
import { keyQuery } from '../features/keys/queries.ts'
import { rangeSearch } from '../features/usage/range.ts'
import { queryClient } from '../lib/http/query-client.ts'

export const Route = createFileRoute('/dashboard/api-keys/$keyId')({
  validateSearch: rangeSearch,
  loader: ({ params: { keyId } }) => void queryClient.prefetchQuery(keyQuery(keyId)),
  component: () => <KeyPage keyId={useParams({ from: '/dashboard/api-keys/$keyId' }).keyId} />,
})
