/** What search engines show below a page's title, by route or by address. Pages that are named here are drawn by the server. */
export const descriptions: Record<string, string> = {
  '/': 'Metered access to financial data over REST and MCP: one key, exact credits, a receipt for every call.',
  '/login': 'Log in with Google or GitHub to get an API key for financial data.',
  '/auth/login': 'Log in with Google or GitHub to get an API key for financial data.',
  '/docs/': 'Quick start, authentication, and the reference of every endpoint and tool.',
  '/docs/pricing':
    'Plans and prices: a free plan without a card, Pro, pay-as-you-go at $0.01 per 100 requests, and Enterprise.',
  '/docs/faq': 'Answers about keys, plans, credits, limits, security and support.',
  '/docs/getting-started': 'Four steps from nothing to your first request: account, plan, key, call.',
  '/legal/privacy': 'What is kept about you, what it is used for, how long it is kept, and your rights.',
  '/legal/terms': 'The terms of service: your account, plans and payment, refunds, fair use, no investment advice.',
}
