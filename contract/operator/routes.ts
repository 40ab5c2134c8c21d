import { figuresRoutes } from './figures-routes.ts'
import { sessionRoutes } from './session-routes.ts'

/** Every operation of the console. It is not in `contract/routes.ts`: no byte of it reaches a customer. */
export const operatorRoutes = { ...sessionRoutes, ...figuresRoutes }

export type OperatorEndpoint = keyof typeof operatorRoutes
