import { queryOptions, useMutation } from '@tanstack/react-query'
import { replacing } from '../../lib/http/after-change.ts'
import { api } from '../../lib/http/api.ts'
import { preferencesQuery } from '../account/queries.ts'

/** Saves the alert threshold; the response replaces the cached value. */
export const useSetAlertThreshold = () =>
  useMutation({
    mutationFn: (alertThreshold: number) => api('setPreferences', { body: { alertThreshold } }),
    onSuccess: replacing(preferencesQuery),
  })

export const alertWebhookQuery = queryOptions({
  queryKey: ['billing', 'alert-webhook'],
  queryFn: ({ signal }) => api('getAlertWebhook', { signal }),
})

/** Sets the alert webhook URL; null removes it. */
export const useSetAlertWebhook = () =>
  useMutation({
    mutationFn: (url: string | null) => api('setAlertWebhook', { body: { url } }),
    onSuccess: replacing(alertWebhookQuery),
  })
