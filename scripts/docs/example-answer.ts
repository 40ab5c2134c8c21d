import { join } from 'node:path'
import { loadMarketData, type MarketData } from '../../server/features/market-data/market-data.ts'

export const loadDemoMarket = (): Promise<MarketData> =>
  loadMarketData({ dir: join(import.meta.dirname, '../../data/demo'), demoPrices: true })
