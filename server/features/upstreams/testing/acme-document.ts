const json = (schema: object) => ({ description: 'ok', content: { 'application/json': { schema } } })
const price = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }

/** The description of a small API, as its operator has it. */
export const acmeDocument = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Acme prices', version: '1' },
  paths: {
    '/prices/{symbol}': {
      get: {
        operationId: 'getPrice',
        summary: 'Last price of a symbol',
        parameters: [
          { name: 'symbol', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'days', in: 'query', schema: { type: 'integer' } },
        ],
        responses: { 200: json(price) },
      },
    },
    '/search': {
      get: {
        operationId: 'search',
        summary: 'Find symbols',
        parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string' } }],
        responses: { 200: json({ type: 'object', properties: { items: { type: 'array' } } }) },
      },
    },
    '/orders': {
      post: {
        operationId: 'placeOrder',
        summary: 'Place an order',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['symbol'],
                properties: { symbol: { type: 'string' }, count: { type: 'integer' } },
              },
            },
          },
        },
        responses: { 201: { description: 'placed' } },
      },
    },
  },
})
