import { deliveryRoutes } from './delivery-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { sessionRoutes } from './session-routes.ts'

/** Every operation of the console. It is not in `contract/routes.ts`: no byte of it reaches a customer. */
export const operatorRoutes = { ...sessionRoutes, ...deliveryRoutes, ...healthRoutes }

export type OperatorEndpoint = keyof typeof operatorRoutes
