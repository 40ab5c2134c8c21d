import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { registerConsolePages } from './console/pages.ts'
import { registerConsole } from './console/routes.ts'
import { registerDatasets } from './datasets/routes.ts'
import { registerOperatorShop } from './shop/routes.ts'
import { registerSupply } from './supply/routes.ts'

/** The operator's console: its API and its pages. Nothing of it answers without a session of the console. */
export function registerOperator(app: FastifyInstance, deps: Deps): void {
  registerConsole(app, deps)
  registerSupply(app, deps)
  registerOperatorShop(app, deps)
  registerDatasets(app, deps)
  registerConsolePages(app, deps)
}
