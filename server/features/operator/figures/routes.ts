import type { FastifyInstance } from 'fastify'
import { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Deps } from '../../../deps.ts'
import { readsMoney } from '../console/reads-money.ts'
import { serveOperator } from '../console/serve.ts'
import { listReturns, readLiability, readRevenue, readRollforward } from './finance.ts'
import { foldSoon } from './fold-figures.ts'
import { readJournal } from './journal.ts'
import { CallRate } from './read-calls.ts'
import { readRecurring } from './recurring.ts'
import { readTaxes } from './taxes.ts'
import { readToday } from './today.ts'
import { readTodayLists } from './today-lists.ts'

/** Today and finance. Nobody waits for sums: a request starts a fold beside it, and the next one shows it. */
export function registerFigures(app: FastifyInstance, deps: Deps): void {
  const { kysely } = deps.db
  const rate = new CallRate()
  const fold = () =>
    foldSoon(deps.db, (error) => deps.log.warn({ error: error.message }, 'could not fold the figures of the console'))
  serveOperator(app, deps, figuresRoutes.getToday, async ({ ctx }) => {
    fold()
    const { received, ...today } = await readToday(deps.db, rate)
    if (readsMoney(ctx)) return { received, ...today }
    return { ...today, received: null, credits: { ...today.credits, liability: null } }
  })
  serveOperator(app, deps, figuresRoutes.getTodayLists, async ({ ctx }) => {
    const { receipts, ...lists } = await readTodayLists(deps.db)
    return { ...lists, receipts: readsMoney(ctx) ? receipts : null }
  })
  serveOperator(app, deps, figuresRoutes.getRevenue, ({ input: { query } }) => {
    fold()
    return readRevenue(kysely, query.months)
  })
  serveOperator(app, deps, figuresRoutes.getRecurring, () =>
    readRecurring(kysely, deps.market.current, deps.shop.current().currency),
  )
  serveOperator(app, deps, figuresRoutes.getCredits, ({ input: { query } }) => {
    fold()
    return readRollforward(kysely, query.month)
  })
  serveOperator(app, deps, figuresRoutes.getLiability, ({ input: { query } }) => {
    fold()
    return readLiability(kysely, query.day)
  })
  serveOperator(app, deps, figuresRoutes.listReturns, ({ input: { query } }) => listReturns(kysely, query.before))
  serveOperator(app, deps, figuresRoutes.getJournal, ({ input: { query } }) => {
    fold()
    return readJournal(kysely, query.month)
  })
  serveOperator(app, deps, figuresRoutes.getTaxes, ({ input: { query } }) => {
    fold()
    return readTaxes(kysely, query.month)
  })
}
