import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Preferences, User, Workspace } from '#contract/account.ts'
import type { AlertWebhook } from '#contract/billing.ts'
import { api } from '../../lib/api.ts'

/** The signed-in person as the server knows them, and the workspace that this tab works in. */
export interface Profile {
  user: User
  workspace: Workspace
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => api<Profile>('/api/auth/profile', { signal }),
})

export const preferencesQuery = queryOptions({
  queryKey: ['billing', 'preferences'],
  queryFn: ({ signal }) => api<Preferences>('/api/billing/preferences', { signal }),
})

/** Saves the alert threshold; what the server then holds takes the place of what was shown. */
export function useSetAlertThreshold() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (alertThreshold: number) =>
      api<Preferences>('/api/billing/preferences', { method: 'put', json: { alertThreshold } }),
    onSuccess: (preferences) => client.setQueryData(preferencesQuery.queryKey, preferences),
  })
}

interface WebhookAnswer {
  alertWebhook: AlertWebhook | null
}

export const alertWebhookQuery = queryOptions({
  queryKey: ['billing', 'alert-webhook'],
  queryFn: ({ signal }) => api<WebhookAnswer>('/api/billing/alert-webhook', { signal }),
})

/** Sets where alerts are posted; null ends it. */
export function useSetAlertWebhook() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (url: string | null) =>
      api<WebhookAnswer>('/api/billing/alert-webhook', { method: 'put', json: { url } }),
    onSuccess: (answer) => client.setQueryData(alertWebhookQuery.queryKey, answer),
  })
}
