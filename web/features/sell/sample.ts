/** A small description, to try the page without a file at hand; read by the same rules as a visitor's file. */
export const sample = {
  name: 'weather.json',
  document: {
    openapi: '3.1.0',
    info: { title: 'Weather', version: '1.0.0' },
    servers: [{ url: 'https://api.weather.example' }],
    paths: {
      '/forecast/{city}': {
        get: {
          operationId: 'getForecast',
          summary: 'Forecast for a city',
          parameters: [
            { name: 'city', in: 'path', required: true, schema: { type: 'string' }, example: 'berlin' },
            { name: 'days', in: 'query', schema: { type: 'integer', default: 7 } },
          ],
          responses: { 200: { description: 'The forecast' } },
        },
      },
      '/history': {
        get: {
          operationId: 'getHistory',
          summary: 'Observations of a day',
          parameters: [
            { name: 'station', in: 'query', required: true, schema: { type: 'string' }, example: 'EDDB' },
            { name: 'date', in: 'query', required: true, schema: { type: 'string' }, example: '2026-08-18' },
          ],
          responses: { 200: { description: 'The observations' } },
        },
      },
      '/stations': {
        get: {
          operationId: 'listStations',
          summary: 'Stations',
          responses: { 200: { description: 'The stations' } },
        },
        post: { operationId: 'addStation', responses: { 201: { description: 'Added' } } },
      },
    },
  },
}
