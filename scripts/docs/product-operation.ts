import { productTools } from '../../server/product-tools.ts'
import { findOperation } from './find-operation.ts'

/** The tool of the product that answers a request. */
export const productOperation = findOperation(productTools)
