import { queryOptions, useMutation } from '@tanstack/react-query'
import { replacing } from '../../../lib/http/after-change.ts'
import { api } from '../../../lib/http/api.ts'

export const taxQuery = queryOptions({
  queryKey: ['billing', 'tax'],
  queryFn: ({ signal }) => api('getTaxDetails', { signal }).then((data) => data.taxDetails),
})

export interface AddressInput {
  name: string
  country: string
  line1: string
  line2: string
  city: string
  postalCode: string
  state: string
}

export const useSetAddress = () =>
  useMutation({
    mutationFn: (body: AddressInput) => api('setBillingAddress', { body }).then((data) => data.taxDetails),
    onSuccess: replacing(taxQuery),
  })

export const useAddTaxId = () =>
  useMutation({
    mutationFn: (body: { type: string; value: string }) => api('addTaxId', { body }).then((data) => data.taxDetails),
    onSuccess: replacing(taxQuery),
  })

export const useRemoveTaxId = () =>
  useMutation({
    mutationFn: (id: string) => api('removeTaxId', { params: { id } }).then((data) => data.taxDetails),
    onSuccess: replacing(taxQuery),
  })
