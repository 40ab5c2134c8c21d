import { type NavigateOptions, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readTerm } from '#contract/operator/search-term.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Palette } from '../../ui/palette.tsx'
import { kindNames, useFound } from './use-found.ts'

/** Finds pages, customers, receipts and invoices. A pasted API key is cut at once. */
export default function SearchPalette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const { term, kind, found, isSearching, error } = useFound(typed)
  const status = error
    ? messageOf(error, 'The search failed.')
    : typed.trim() !== '' && !term
      ? 'This looks like a secret. It was not sent.'
      : isSearching
        ? 'Searching…'
        : kind
          ? `Searched as: ${kindNames[kind]}${found.length === 0 ? '. Nothing found.' : ''}`
          : ''
  return (
    <Palette
      label="Search"
      placeholder="Name, email, key, receipt, invoice or any ID"
      typed={typed}
      onType={(text) => {
        const read = readTerm(text)
        // The field itself must not hold a key either.
        setTyped(read?.kind === 'key' ? read.value : text)
      }}
      found={found}
      status={status}
      onChoose={(place) => void navigate(place as NavigateOptions)}
      onClose={onClose}
    >
      {({ title, detail }) => (
        <>
          <bdi className="max-w-[50%] shrink-0 truncate">{title}</bdi>
          <bdi className="min-w-0 truncate text-small text-muted">{detail}</bdi>
        </>
      )}
    </Palette>
  )
}
