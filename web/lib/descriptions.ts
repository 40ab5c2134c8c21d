/** Meta descriptions by route or URL. Pages listed here are rendered on the server. */
export const descriptions: Record<string, string> = {
  '/': 'Open source: sell an API per call, over REST and MCP. Each charge and its receipt are on disk before the response leaves.',
  '/demo': 'Metered access to financial data over REST and MCP: one key, exact credits, a receipt for every call.',
  '/login': 'Sign in with Google or GitHub to get an API key, see its use, and manage your plan.',
  '/auth/login': 'Sign in with Google or GitHub to get an API key, see its use, and manage your plan.',
  '/docs/pricing': 'Plans and prices, and what a month costs with the number of requests that you make.',
  '/docs/faq': 'Answers about keys, plans, credits, limits, security and support.',
  '/sell':
    'Bring an OpenAPI file or an MCP server and set a price. Keys, exact credits, plans, payment and docs come with it.',
  '/legal/privacy': 'What data we keep about you, what we use it for, how long we keep it, and your rights.',
  '/legal/imprint': 'Who runs this service, and how to reach them.',
  '/legal/terms': 'The terms of service: your account, plans and payment, refunds, fair use, no investment advice.',
}
