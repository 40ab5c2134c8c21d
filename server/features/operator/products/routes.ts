import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { requireStripe } from '../../billing/stripe/require-stripe.ts'
import { DEFAULT_CURRENCY } from '../../shop/shop.ts'
import type { OperatorContext } from '../console/context.ts'
import { readsMoney } from '../console/reads-money.ts'
import { runAct } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { archiveSold } from './archive-product.ts'
import { discardDraft } from './discard-draft.ts'
import { getProduct } from './get-product.ts'
import { listPrices } from './list-prices.ts'
import { listProducts } from './list-products.ts'
import { publishDraft } from './publish-draft.ts'
import { runProductJobs } from './run-product-jobs.ts'
import { createDraft, newProductId, saveDraft } from './save-draft.ts'
import { setPrice } from './set-price.ts'
import { type Simulation, simulatePrices } from './simulate-prices.ts'

/** What a new product is sold in. */
const newCurrency = ({ shop }: Pick<Deps, 'shop'>, sold: string | undefined): string =>
  shop.current().currency ?? sold ?? DEFAULT_CURRENCY

type Product = Awaited<ReturnType<typeof listProducts>>[number]
const withoutRevenue = (product: Product): Product => ({
  ...product,
  prices: product.prices.map(({ mrr: _, ...price }) => price),
})

/** A simulation for roles that do not read finance. The order of the customers tells who would pay much, so it has none. */
const withoutMoney = ({ totals, ...simulation }: Simulation): Simulation => ({
  ...simulation,
  totals: { ...totals, money: [] },
  biggest: [],
})

/** Products: what is sold, drafts, publishing and archiving; prices of tools, and what others would bring. */
export function registerProducts(app: FastifyInstance, deps: Deps): void {
  const shown = async (ctx: OperatorContext, id: string) => {
    const detail = await getProduct(deps.db, id)
    return { product: readsMoney(ctx) ? detail : { ...detail, product: withoutRevenue(detail.product) } }
  }
  /** At once, and otherwise by the job of the minute. */
  const tellStripe = () =>
    void runProductJobs(deps).catch((error: Error) =>
      deps.log.warn({ error: error.message }, 'products could not be brought to Stripe'),
    )

  serveOperator(app, deps, operatorRoutes.listProducts, async ({ ctx }) => {
    const products = await listProducts(deps.db)
    const about = { sells: deps.stripe !== null, currency: newCurrency(deps, products[0]?.currency) }
    if (!readsMoney(ctx)) return { ...about, products: products.map(withoutRevenue) }
    const totals = new Map(products.map(({ currency }) => [currency, 0]))
    for (const [currency, cents] of products.flatMap(({ prices }) =>
      prices.flatMap(({ mrr }) => Object.entries(mrr ?? {})),
    ))
      totals.set(currency, (totals.get(currency) ?? 0) + cents)
    const mrr = [...totals].map(([currency, cents]) => ({ currency, cents }))
    return { ...about, products, mrr }
  })
  serveOperator(app, deps, operatorRoutes.getProduct, ({ ctx, input: { params } }) => shown(ctx, params.id))
  serveOperator(app, deps, operatorRoutes.createProduct, async ({ ctx, input: { body } }) => {
    const { fields, ...act } = body
    const id = newProductId(act.act_id)
    await runAct(ctx, { ...act, action: 'product.drafted', target: id }, (tx) =>
      createDraft(tx, { id, fields, editor: ctx.operator.email }),
    )
    return shown(ctx, id)
  })
  serveOperator(app, deps, operatorRoutes.saveDraft, async ({ ctx, input: { params, body } }) => {
    const { fields, row_version: rowVersion, ...act } = body
    await runAct(ctx, { ...act, action: 'product.drafted', target: params.id }, (tx) =>
      saveDraft(tx, { id: params.id, fields, rowVersion, editor: ctx.operator.email }),
    )
    return shown(ctx, params.id)
  })
  serveOperator(app, deps, operatorRoutes.discardDraft, async ({ ctx, input: { params, body } }) => {
    const { row_version, ...act } = body
    await runAct(ctx, { ...act, action: 'product.draft_discarded', target: params.id }, (tx) =>
      discardDraft(tx, params.id, row_version),
    )
    return { discarded: true as const }
  })
  serveOperator(app, deps, operatorRoutes.publishDraft, async ({ ctx, input: { params, body } }) => {
    requireStripe(deps)
    const { row_version: rowVersion, ...act } = body
    const { id } = params
    await runAct(ctx, { ...act, action: 'product.published', target: id }, (tx) =>
      publishDraft(tx, { id, rowVersion, owner: ctx.operator.email, reason: act.reason }),
    )
    tellStripe()
    return shown(ctx, id)
  })
  serveOperator(app, deps, operatorRoutes.archiveProduct, async ({ ctx, input: { params, body } }) => {
    requireStripe(deps)
    const { id } = params
    await runAct(ctx, { ...body, action: 'product.archived', target: id }, (tx) =>
      archiveSold(tx, { id, owner: ctx.operator.email, reason: body.reason }),
    )
    tellStripe()
    return shown(ctx, id)
  })
  serveOperator(app, deps, operatorRoutes.listPrices, async () => ({ tools: await listPrices(deps) }))
  serveOperator(app, deps, operatorRoutes.setPrice, ({ ctx, input: { params, body } }) => {
    const { act_id, reason, ...price } = body
    return setPrice(ctx, { act_id, reason }, { ...price, tool: params.tool })
  })
  serveOperator(app, deps, operatorRoutes.simulatePrices, async ({ ctx, input: { query } }) => {
    const simulation = await simulatePrices(deps, query.prices ?? new Map())
    return readsMoney(ctx) ? simulation : withoutMoney(simulation)
  })
}
