import { call, type Data } from '../../lib/api.ts'

export type Dataset = Data<'GET /datasets'>['datasets'][number]
export type Connector = Data<'GET /datasets'>['connectors'][number]

export const datasetsQuery = { queryKey: ['operator', 'datasets'] as const, queryFn: () => call('GET /datasets') }
