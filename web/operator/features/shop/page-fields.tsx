import { useState } from 'react'
import { TextArea } from '../../../ui/form/field.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { Draft } from './draft.ts'

type Page = 'terms' | 'privacy' | 'imprint' | 'faq'

const pages = [
  { value: 'terms', label: 'Terms' },
  { value: 'privacy', label: 'Privacy' },
  { value: 'imprint', label: 'Imprint' },
  { value: 'faq', label: 'Questions' },
] as const

const hints: Record<Page, string> = {
  terms: 'Replaces the TERMS_FILE setting.',
  privacy: 'Replaces the PRIVACY_FILE setting.',
  imprint: 'If empty, there is no such page.',
  faq: 'Groups as ##, questions as ###, each with its answer. Replaces the built-in questions.',
}

interface PageFieldsProps {
  pages: Draft['pages']
  errorOf: (field: string) => string | undefined
  onChange: (pages: Draft['pages']) => void
}

export function PageFields({ pages: given, errorOf, onChange }: PageFieldsProps) {
  const [page, setPage] = useState<Page>('terms')
  const label = pages.find(({ value }) => value === page)!.label
  return (
    <Tabs label="Page" value={page} options={pages} onChange={setPage}>
      <div className="mt-3">
        <TextArea
          key={page}
          label={label}
          hint={hints[page]}
          error={errorOf(`pages.${page}`)}
          rows={8}
          value={given[page] ?? ''}
          onChange={(event) => onChange({ ...given, [page]: event.target.value })}
        />
      </div>
    </Tabs>
  )
}
