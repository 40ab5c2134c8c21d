import { createFileRoute, notFound, useParams } from '@tanstack/react-router'
import { LegalPage, type LegalPageName } from '../features/legal/legal-page.tsx'

const names: readonly string[] = ['privacy', 'terms'] satisfies LegalPageName[]

export const Route = createFileRoute('/legal/$page')({
  beforeLoad: ({ params }) => {
    if (!names.includes(params.page)) throw notFound()
  },
  component: () => <LegalPage page={useParams({ from: '/legal/$page' }).page as LegalPageName} />,
})
