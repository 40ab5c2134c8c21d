import { openapi } from '#server/features/site/openapi.ts'
import { registerTool } from '#server/features/tools/register-tool.ts'
import { productTools } from '#server/product-tools.ts'

/** The OpenAPI document of our own tools, as `/openapi.json` serves it. */
export function currentApi() {
  const all = productTools.map((tool, index) => registerTool(tool, index))
  return openapi({ all }, 'http://localhost:3000')
}
