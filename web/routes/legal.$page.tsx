import { createFileRoute, notFound, useParams } from '@tanstack/react-router'
import { LegalPage, type LegalPageName } from '../features/legal/legal-page.tsx'
import { loadSettings } from '../lib/settings.ts'

const names: readonly string[] = ['privacy', 'terms', 'imprint'] satisfies LegalPageName[]

export const Route = createFileRoute('/legal/$page')({
  beforeLoad: async ({ params }) => {
    const { shop } = await loadSettings()
    if (!names.includes(params.page) || (params.page === 'imprint' && !shop.hasImprint)) throw notFound()
  },
  component: () => <LegalPage page={useParams({ from: '/legal/$page' }).page as LegalPageName} />,
})
