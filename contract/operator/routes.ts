import { sessionRoutes } from './session-routes.ts'
import { supplyRoutes } from './supply-routes.ts'

/** Every operation of the console. It is not in `contract/routes.ts`: no byte of it reaches a customer. */
export const operatorRoutes = { ...sessionRoutes, ...supplyRoutes }

export type OperatorEndpoint = keyof typeof operatorRoutes
