import { createFileRoute } from '@tanstack/react-router'
import { KeyPage } from '../features/keys/key-page.tsx'
import { keyQuery } from '../features/keys/queries.ts'
import { queryClient } from '../lib/query-client.ts'

export const Route = createFileRoute('/dashboard/api-keys/$keyId')({
  loader: ({ params: { keyId } }) => void queryClient.prefetchQuery(keyQuery(keyId)),
  component: () => <KeyPage keyId={Route.useParams().keyId} />,
})
