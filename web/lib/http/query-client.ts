import { QueryClient } from '@tanstack/react-query'

/**
 * One cache for the page. The HTTP client retries (GET only), so queries do not; a short stale time keeps data
 * preloaded on hover from being refetched on click. Queries that failed offline are refetched when the connection is
 * back.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 5000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})
