import type { CodeTool } from '../tools/define-tool.ts'
import { analyzePortfolio } from './tools/analyze-portfolio.ts'
import { computeIndicator } from './tools/compute-indicator.ts'
import { convertCurrency } from './tools/convert-currency.ts'
import { getBars } from './tools/get-bars.ts'
import { getBarsBatch } from './tools/get-bars-batch.ts'
import { getCompany } from './tools/get-company.ts'
import { getCorporateActions } from './tools/get-corporate-actions.ts'
import { getEconomicSeries } from './tools/get-economic-series.ts'
import { getFinancials } from './tools/get-financials.ts'
import { getFxRates } from './tools/get-fx-rates.ts'
import { getMarketCalendar } from './tools/get-market-calendar.ts'
import { getQuote } from './tools/get-quote.ts'
import { getStatus } from './tools/get-status.ts'
import { getDataset, listDatasets } from './tools/list-datasets.ts'
import { listSeries } from './tools/list-series.ts'
import { priceOption } from './tools/price-option.ts'
import { screenStocks } from './tools/screen-stocks.ts'
import { searchSymbols } from './tools/search-symbols.ts'
import { summarizePrices } from './tools/summarize-prices.ts'

/** Every market-data tool, in catalog order. */
export const marketDataTools: CodeTool[] = [
  searchSymbols,
  getBars,
  getBarsBatch,
  getQuote,
  summarizePrices,
  computeIndicator,
  getCorporateActions,
  getCompany,
  getFinancials,
  screenStocks,
  analyzePortfolio,
  priceOption,
  convertCurrency,
  getFxRates,
  getEconomicSeries,
  listSeries,
  getMarketCalendar,
  listDatasets,
  getDataset,
  getStatus,
]
