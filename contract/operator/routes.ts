import { datasetRoutes } from './dataset-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { shopRoutes } from './shop-routes.ts'
import { supplyRoutes } from './supply-routes.ts'

/** Every operation of the console. It is not in `contract/routes.ts`: no byte of it reaches a customer. */
export const operatorRoutes = { ...sessionRoutes, ...supplyRoutes, ...shopRoutes, ...datasetRoutes }

export type OperatorEndpoint = keyof typeof operatorRoutes
