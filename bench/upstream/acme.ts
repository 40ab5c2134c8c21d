/** The API that is sold: its description, and what it answers. */

export const UPSTREAM_ID = 'acme'
/** The environment variable of the credential that Finmeter sends to it. */
export const CREDENTIAL = 'ACME_KEY'
/** The published name of `getPrice`. */
export const OPERATION = 'acme_get_price'

/** About 300 bytes, the same for each symbol, so that every answer can be compared. */
export const priceBody = JSON.stringify({
  symbol: 'ACME',
  name: 'Acme Corporation',
  exchange: 'XNYS',
  currency: 'USD',
  price: 187.4125,
  change: -1.3275,
  change_percent: -0.7034,
  open: 188.6,
  high: 189.92,
  low: 186.7701,
  previous_close: 188.74,
  volume: 48_213_907,
  bid: 187.41,
  ask: 187.42,
  as_of: '2026-03-02T20:59:59.870Z',
  status: 'open',
  delayed: false,
})

const KEYS_OF_PRICE = Object.keys(JSON.parse(priceBody) as object)

export const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme prices', version: '1' },
  paths: {
    '/prices/{symbol}': {
      get: {
        operationId: 'getPrice',
        parameters: [{ name: 'symbol', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { type: 'object', required: KEYS_OF_PRICE } } },
          },
        },
      },
    },
    '/watch': {
      get: {
        operationId: 'watch',
        responses: { 200: { description: 'ok', content: { 'text/event-stream': { schema: { type: 'string' } } } } },
      },
    },
  },
})

export const PRICE_PATH = '/prices'
export const WATCH_PATH = '/watch'
/** Not published: ends all streams. */
export const END_PATH = '/end'
