import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { registerConsolePages } from './console/pages.ts'
import { registerConsole } from './console/routes.ts'
import { registerDelivery } from './delivery/routes.ts'
import { registerHealth } from './health/routes.ts'

/** The operator's console: its API and its pages. Nothing of it answers without a session of the console. */
export function registerOperator(app: FastifyInstance, deps: Deps): void {
  registerConsole(app, deps)
  registerDelivery(app, deps)
  registerHealth(app, deps)
  registerConsolePages(app, deps)
}
