import { call, type Data } from '../../lib/api.ts'

export type Shop = Data<'GET /shop'>
export type CheckedShop = Data<'POST /shop/check'>

export const shopQuery = { queryKey: ['operator', 'shop'] as const, queryFn: () => call('GET /shop') }
