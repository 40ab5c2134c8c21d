export const sellText = {
  pageTitle: 'Sell your API per call',
  title: ['Sell your API per call.', 'Charged before the response leaves.'],
  about:
    'Bring an OpenAPI file or an MCP server and set a price. Keys, credits, receipts, payment and docs come with it. Open source: one process, one PostgreSQL.',
  repository: 'View on GitHub',
  demo: 'Open the demo shop',
  compare: 'Comparison',
  documentation: 'Documentation',
  guide: 'Read the self-hosting guide',
  copy: 'Copy',
  copied: 'Command copied to clipboard',
  terminal: 'Terminal',
  start: {
    label: 'Terminal, with Node 20 or later',
    code: 'git clone https://github.com/finmeter/finmeter\ncd finmeter && npm start',
    about:
      'It opens on port 3000, with PostgreSQL included. Sign-in, payments and mail are simulated until you set them up.',
  },
  customer: {
    title: 'Be the first customer',
    about:
      'This installation sells demonstration data until you add yours. Make a call here, or log in for a key of your own: four clicks to a call that is charged.',
    plans: 'Plans of the demonstration',
    plansShown: 'The demonstration shop sells it at:',
    failed: 'Failed to fetch plans',
    dashboard: 'Open your dashboard',
  },
  ways: {
    title: 'Three more ways to sell',
    about: 'Your API stays as it is. A running server serves what you add within two seconds.',
    list: [
      {
        title: 'An MCP server',
        about: 'Its tools get a price. A changed tool waits for your approval.',
        code: 'npm run upstream -- add-mcp https://tools.acme.example/mcp --id acme --price 1',
      },
      {
        title: 'Your own rows',
        about: 'CSV or Parquet becomes a dataset, with charts, paging and downloads.',
        code: 'npm run data -- publish acme.yaml',
      },
      {
        title: 'Your gateway',
        about: 'nginx, Caddy, Traefik or Envoy asks Finmeter. No traffic passes through it.',
        code: 'npm run admin -- meter-key --upstream acme',
      },
    ],
  },
  cost: {
    title: 'What it costs',
    own: '$0',
    about:
      'Apache-2.0, no fee per call, no share of your revenue. You pay for your machine, and Stripe its fee for cards.',
  },
  gets: {
    title: 'What your customers get',
    list: [
      { title: 'REST and MCP', about: 'One key for both. Your operations become tools for AI clients.' },
      { title: 'Docs and playground', about: 'Every operation with its inputs, price and a call to try.' },
      { title: 'Plans and payment', about: 'Subscriptions, top-ups and pay-as-you-go, through Stripe.' },
      { title: 'Keys with limits', about: 'Scopes, monthly budgets, rate limits, expiry and rotation.' },
    ],
  },
  charges: {
    title: 'What is charged',
    outcome: 'What happens',
    cost: 'Cost',
    list: [
      { outcome: 'Your API answers with a 2xx status', cost: 'Your price', free: false },
      { outcome: 'Your API fails, times out or sends a broken body', cost: 'Free', free: true },
      { outcome: 'The input is invalid, or the key is unknown', cost: 'Free', free: true },
      { outcome: 'The customer has no credits left', cost: 'Free: 402', free: true },
      { outcome: 'A retry with the same idempotency key', cost: 'Free, same receipt', free: true },
    ],
    prices: 'A price can count rows, KiB or tokens: the most is held first, and only what was used is charged.',
  },
  comparison: {
    title: 'Compared with others',
    about: 'Gateways control access. Billing engines count after the response. Finmeter charges before it.',
    question: 'Question',
    other: 'Compare with',
    all: (count: number) => `All ${count} questions`,
    speeds: {
      title: 'Calls a second, on two cores that also run PostgreSQL and the load',
      // Of docs/performance.md, as `npm run bench` wrote them.
      list: [
        { name: 'A bare Node server, the same bytes', perSecond: 59_827 },
        { name: 'Finmeter: metered, charged and on disk', perSecond: 21_370 },
        { name: 'One transaction for each call', perSecond: 4_131 },
        { name: 'Better Auth: only the key is checked', perSecond: 798 },
      ],
      repeat: 'Repeat it:',
    },
  },
  not: {
    title: 'Not for you if',
    list: [
      'You want someone else to host it. Finmeter runs on your machines, and has no network of edge locations.',
      'You need no credits. A plain gateway is faster.',
      'You bill for seats or storage rather than calls. Lago or OpenMeter fits better.',
      'Your API speaks gRPC or WebSocket. Finmeter takes OpenAPI and MCP.',
    ],
  },
}
