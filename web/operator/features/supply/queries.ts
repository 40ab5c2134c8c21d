import type { Data } from '../../lib/api.ts'
import { read } from '../../lib/read.ts'

export type Upstream = Data<'GET /upstreams'>['upstreams'][number]
export type ShownUpstream = Data<'GET /upstreams/{id}'>

/** What servers say changes by itself: read every five seconds while the page is open. */
const refetchInterval = 5_000

export const upstreamsQuery = { ...read('GET /upstreams'), refetchInterval }
export const upstreamQuery = (id: string, version?: number) => ({
  ...read('GET /upstreams/{id}', { params: { id }, query: { version } }),
  refetchInterval,
})
export const secretsQuery = read('GET /upstream-secrets')
