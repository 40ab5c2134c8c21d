import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { SearchHit } from '#contract/operator/customer-routes.ts'
import { readTerm, type TermKind } from '#contract/operator/search-term.ts'
import { call, sessionQuery } from '../lib/api.ts'
import { groupsOf } from './navigation.ts'

/** What the palette says of a term that it recognized. */
export const kindNames: Record<TermKind, string> = {
  receipt: 'receipt',
  key: 'start of an API key',
  id: 'ID',
  payment_customer: 'customer at the payment provider',
  invoice: 'invoice at the payment provider',
  payment: 'payment',
  charge: 'charge',
  subscription: 'subscription',
  refund: 'refund',
  event: 'event from the payment provider',
  transaction: 'transaction of an agent payment',
  payer: 'wallet of an agent',
  email: 'email address',
  domain: 'domain',
  invoice_number: 'invoice number',
  name: 'name',
}

const pauseMs = 150

/** Pages whose name has the text, and hits for the term once typing pauses. Nothing is asked for a term that is none. */
export function useFound(typed: string) {
  const term = readTerm(typed)
  const value = term && term.value.length >= 2 ? term.value : ''
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  const query = useQuery({
    queryKey: ['operator', 'search', asked],
    queryFn: ({ signal }) => call('GET /search', { query: { q: asked }, signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const words = typed.trim().toLowerCase()
  const { role } = useSuspenseQuery(sessionQuery).data
  const pages = groupsOf(role)
    .flatMap(({ places }) => places)
    .filter(({ label }) => label.toLowerCase().includes(words))
    .map(({ to, label }) => ({ group: 'Pages', key: to as string, title: label, detail: '', to }))
  const hits = value === '' || !query.data ? [] : query.data.hits.map(placeOf)
  return {
    term,
    kind: value !== '' && query.data && asked === value ? (query.data.kind as TermKind) : null,
    found: [...hits, ...pages],
    isSearching: value !== '' && (query.isFetching || asked !== value),
    error: value === '' ? null : query.error,
  }
}

const places = {
  customer: ['Customers', '/customers/$id'],
  receipt: ['Receipts', '/receipts/$id'],
  invoice: ['Invoices', '/customers/$id/invoices'],
  payment: ['Agent payments', '/payments/$id'],
} as const satisfies Record<SearchHit['to'], readonly [string, string]>

function placeOf({ to: kind, id, title, detail }: SearchHit) {
  const [group, to] = places[kind]
  return { group, key: `${kind} ${id}`, title, detail, to, params: { id } }
}
