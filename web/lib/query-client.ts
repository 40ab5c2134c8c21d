import { QueryClient } from '@tanstack/react-query'

/**
 * One cache for the page. Retries are the HTTP client's (GET only), never doubled here; a short freshness keeps
 * what a link's hover preloaded from being fetched again by its click. What failed without a connection is read again
 * when it is back.
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
