import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { registerActs } from './acts/routes.ts'
import { registerConsolePages } from './console/pages.ts'
import { registerConsole } from './console/routes.ts'
import { registerCustomers } from './customers/routes.ts'
import { registerDatasets } from './datasets/routes.ts'
import { registerDelivery } from './delivery/routes.ts'
import { registerFigures } from './figures/routes.ts'
import { registerHealth } from './health/routes.ts'
import { registerPayments } from './payments/routes.ts'
import { registerProducts } from './products/routes.ts'
import { registerOperatorShop } from './shop/routes.ts'
import { registerSupply } from './supply/routes.ts'

/** The operator's console: its API and its pages. Nothing of it answers without a session of the console. */
export function registerOperator(app: FastifyInstance, deps: Deps): void {
  registerConsole(app, deps)
  registerActs(app, deps)
  registerCustomers(app, deps)
  registerProducts(app, deps)
  registerSupply(app, deps)
  registerOperatorShop(app, deps)
  registerFigures(app, deps)
  registerDelivery(app, deps)
  registerPayments(app, deps)
  registerHealth(app, deps)
  registerDatasets(app, deps)
  registerConsolePages(app, deps)
}
