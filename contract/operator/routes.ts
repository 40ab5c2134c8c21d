import { actRoutes } from './act-routes.ts'
import { customerRoutes } from './customer-routes.ts'
import { datasetRoutes } from './dataset-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { figuresRoutes } from './figures-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { paymentRoutes } from './payment-routes.ts'
import { priceRoutes } from './price-routes.ts'
import { productRoutes } from './product-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { shopRoutes } from './shop-routes.ts'
import { supplyRoutes } from './supply-routes.ts'

/** Every operation of the console. It is not in `contract/routes.ts`: no byte of it reaches a customer. */
export const operatorRoutes = {
  ...sessionRoutes,
  ...actRoutes,
  ...customerRoutes,
  ...productRoutes,
  ...priceRoutes,
  ...supplyRoutes,
  ...shopRoutes,
  ...figuresRoutes,
  ...deliveryRoutes,
  ...paymentRoutes,
  ...healthRoutes,
  ...datasetRoutes,
}
