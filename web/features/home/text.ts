export const homeText = {
  pageTitle: 'Financial data over REST and MCP',
  title: 'Financial data, metered to the call.',
  about: 'Prices, quotes and history over REST and MCP. One key, exact credits, and a receipt for every answer.',
  facts: [
    {
      title: 'Exact credits',
      about:
        'Every answer states what it cost and what is left. A failed call costs nothing, and nothing is served before its charge is on disk.',
    },
    {
      title: 'Safe to retry',
      about: 'Send an Idempotency-Key and a repeated request is answered again without a second charge.',
    },
    {
      title: 'One key, two doors',
      about: 'The same tools serve your code as a REST API and your AI client as a remote MCP server.',
    },
  ],
  firstCall: 'A first call',
  ownKey: '# with a key of your own:',
  copied: 'Command copied to clipboard',
  costs: 'What it costs',
  costsAbout: 'One credit is one request. Start free; no card is needed.',
  pricing: 'Compare plans',
  plansLoading: 'Loading plans...',
  plansFailed: 'Failed to fetch plans',
}
