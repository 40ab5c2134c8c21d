export const homeText = {
  pageTitle: 'Financial data over REST and MCP',
  title: 'Financial data, metered per call.',
  about: 'Prices, quotes and history over REST and MCP. One key, exact credits, and a receipt for every call.',
  facts: [
    {
      title: 'Exact credits',
      about:
        'Every response states what it cost and what is left. Failed calls are free, and every charge is saved before the response is sent.',
    },
    {
      title: 'Safe to retry',
      about: 'Send an Idempotency-Key, and a repeated request is never charged twice.',
    },
    {
      title: 'One key for REST and MCP',
      about: 'Your code calls the tools over the REST API. Your AI client calls the same tools over remote MCP.',
    },
  ],
  firstCall: 'A first call',
  ownKey: '# with your own key:',
  copied: 'Command copied to clipboard',
  costs: 'What it costs',
  costsAbout: 'One credit covers a standard request. Start free, no card needed.',
  pricing: 'Compare plans',
  plansLoading: 'Loading plans...',
  plansFailed: 'Failed to fetch plans',
}
