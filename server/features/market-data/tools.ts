import type { Tool } from '../tools/define-tool.ts'
import { getBars } from './tools/get-bars.ts'
import { getQuote } from './tools/get-quote.ts'
import { searchSymbols } from './tools/search-symbols.ts'

/** Every market-data tool, in the order of the catalogue. */
export const marketDataTools: Tool[] = [searchSymbols, getBars, getQuote]
