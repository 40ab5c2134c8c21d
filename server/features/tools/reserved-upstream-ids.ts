/**
 * First segments below /v1 that are ours, or may become so: no upstream is called by one of these, so that none of our routes
 * captures an upstream's. A test compares this list with the routes.
 */
// biome-ignore format: a list of words
export const reservedUpstreamIds: ReadonlySet<string> = new Set([
  'account', 'accounts', 'actions', 'add', 'admin', 'analytics', 'api', 'auth', 'bars', 'batch', 'billing', 'calendar',
  'catalog', 'companies', 'company', 'corporate-actions', 'credits', 'data', 'dataset', 'datasets', 'docs', 'dry-run', 'echo',
  'economy', 'events', 'exports', 'files', 'filings', 'financials', 'finmeter', 'funds', 'fx', 'health', 'holdings',
  'indicators', 'jobs', 'key', 'keys', 'mcp', 'me', 'meter', 'metrics', 'news', 'oauth', 'openapi', 'operator', 'option',
  'options', 'ping', 'plans', 'portfolio', 'prices', 'prompts', 'quote', 'quotes', 'rates', 'receipts', 'reference', 'resources',
  'rows', 'screen', 'screener', 'search', 'series', 'stats', 'status', 'stream', 'summary', 'symbols', 'tables', 'test',
  'tickers', 'time', 'timestamp', 'tools', 'upstream', 'upstreams', 'usage', 'v1', 'v2', 'webhooks', 'whoami',
])
