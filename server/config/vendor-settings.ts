import { z } from 'zod'
import { setting } from './setting.ts'

const key = (vendor: string) =>
  setting(
    z.string().trim().min(1).optional(),
    `Your key of ${vendor}, for npm run data -- fetch. It is sent only to this vendor.`,
    'the key from your account there',
  )

/** Keys of the connectors to vendors; each manifest in datasets/connectors names its own. */
export const vendorSettings = {
  ALPHAVANTAGE_API_KEY: key('Alpha Vantage'),
  TIINGO_API_KEY: key('Tiingo'),
  TWELVEDATA_API_KEY: key('Twelve Data'),
  EODHD_API_KEY: key('EODHD'),
  MASSIVE_API_KEY: key('Massive'),
}
