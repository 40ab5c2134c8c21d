import { productTools } from '../../server/product-tools.ts'
import type { OperationOf } from './request-example.ts'

/** The tool of the product that answers a request. Throws for a path that none answers. */
export const productOperation: OperationOf = ({ path, body }) => {
  const [bare = ''] = path.split('?')
  const found = productTools.find(
    ({ rest }) =>
      rest &&
      (rest.method === 'GET') === (body === undefined) &&
      new RegExp(`^${rest.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  )
  if (!found?.rest) throw new Error(`no tool answers ${path}`)
  return { tool: found.name, template: found.rest.path }
}
