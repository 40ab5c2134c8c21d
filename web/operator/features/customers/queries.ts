import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CustomerFilter } from '#contract/operator/customers.ts'
import { call, type Line } from '../../lib/api.ts'

/** Parts of a customer's page that are read whole. */
type Part = Extract<Line, `GET /customers/{id}${'' | '/overview' | '/keys' | '/people' | '/limits' | '/webhooks'}`>

export const partQuery = <L extends Part>(line: L, id: string) =>
  queryOptions({
    queryKey: ['operator', 'customer', id, line],
    queryFn: ({ signal }) => call(line, { params: { id } as never, signal }),
  })

export const customersQuery = (filter: CustomerFilter) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'customers', filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /customers', { signal, query: { ...filter, ...(pageParam !== null && { before: pageParam }) } }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })

export const ledgerQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'customer', id, 'ledger'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /customers/{id}/ledger', {
        params: { id },
        query: pageParam === null ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  })

export const callsQuery = (id: string, status: 'success' | 'failed' | undefined) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'customer', id, 'calls', status],
    queryFn: ({ pageParam, signal }) =>
      call('GET /customers/{id}/calls', {
        params: { id },
        query: { limit: 50, ...(status && { status }), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const invoicesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'customer', id, 'invoices'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /customers/{id}/invoices', {
        params: { id },
        query: pageParam === null ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export const timelineQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['operator', 'customer', id, 'timeline'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /customers/{id}/timeline', {
        params: { id },
        query: pageParam === null ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export const receiptQuery = (id: string) =>
  queryOptions({
    queryKey: ['operator', 'receipt', id],
    queryFn: ({ signal }) => call('GET /receipts/{id}', { params: { id }, signal }),
  })
