import { priceText } from '../../server/features/tools/listing/price-text.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { ORIGIN } from '../../web/docs/page.ts'
import { appsScript, functionName, powerQueryOfJson } from '../../web/features/spreadsheets/formulas.ts'
import { plainLine } from './plain-text.ts'
import { requestExample } from './request-of.ts'
import { referencePath } from './tool-page.ts'

/** What a shop sells, as far as guides depend on it. */
export interface Sold {
  /** The tables of market data that come with the product. */
  market: boolean
  /** The tools that only show how calls work. */
  examples: boolean
  /** The demonstration data. */
  data: boolean
  /** The key `demo`. */
  demo: boolean
  /** Under a name of its own: its customers do not know the software's programs. */
  named: boolean
  /** Paths of guides to what is not sold. */
  without: readonly string[]
  /** A symbol and a series that are there; null: those of the demonstration are. */
  symbol: string | null
  series: string | null
}

/** The call that guides show. */
export interface GuideCall {
  tool: string
  path: string
  /** Markdown. */
  title: string
  price: string
}

export const guideCallOf = ({ tool }: RegisteredTool): GuideCall => ({
  tool: tool.name,
  path: requestExample(tool)!.path,
  title: `[${plainLine(tool.title)}](${referencePath(tool)})`,
  price: priceText(tool.credits),
})

const PART = /\{\{([#^])(market|examples|data|demo|named)\}\}\n?([\s\S]*?)\{\{\/\2\}\}\n?/g

/**
 * A guide for what is sold: `{{#market}}...{{/market}}` stays where it is, `{{^market}}...{{/market}}` where it is not, `{{path}}` and
 * similar marks are a call that can be made, and `{{symbol:VIX}}` a symbol in an address, VIX where the demonstration has it.
 */
export function fitGuide(markdown: string, sold: Sold, call: GuideCall): string {
  const fitted = markdown.replaceAll(
    PART,
    (_, sign: string, name: 'market' | 'examples' | 'data' | 'demo' | 'named', inner: string) =>
      sold[name] === (sign === '#') ? fitGuide(inner, sold, call) : '',
  )
  const inSheet = [ORIGIN + call.path, 'YOUR_API_KEY'] as const
  const marks: Record<string, string> = {
    path: call.path,
    call: call.title,
    price: call.price,
    function: functionName(call.tool),
    'apps-script': appsScript(functionName(call.tool), ...inSheet),
    'power-query': powerQueryOfJson(...inSheet),
  }
  return fitted
    .replaceAll(/\{\{(path|call|price|function|apps-script|power-query)\}\}/g, (_, mark: string) => marks[mark]!)
    .replaceAll(/\{\{(symbol|series):([^}]+)\}\}/g, (_, kind: 'symbol' | 'series', name: string) =>
      encodeURIComponent(sold[kind] ?? name),
    )
}
