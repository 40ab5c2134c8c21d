import type { Data } from '../../lib/api.ts'
import { read } from '../../lib/read.ts'

export type Product = Data<'GET /products'>['products'][number]
export type ProductDetail = Data<'GET /products/{id}'>['product']
export type Fields = NonNullable<ProductDetail['live']>
export type PlanFields = Extract<Fields, { kind: 'plan' }>

const SOON_MS = 1_000

/** Asked again while Stripe has yet to confirm something. */
const isWaiting = (product: Pick<Product, 'job'>): boolean => product.job !== null && !product.job.failed

export const productsQuery = {
  ...read('GET /products'),
  refetchInterval: ({ state }: { state: { data: Data<'GET /products'> | undefined } }) =>
    state.data?.products.some(isWaiting) ? SOON_MS : false,
}

export const productQuery = (id: string) => ({
  ...read('GET /products/{id}', { params: { id } }),
  refetchInterval: ({ state }: { state: { data: Data<'GET /products/{id}'> | undefined } }) =>
    state.data && isWaiting(state.data.product.product) ? SOON_MS : false,
})
