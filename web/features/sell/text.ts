export const sellText = {
  pageTitle: 'Sell your API per call',
  title: ['Sell your API per call.', 'Charged before the response leaves.'],
  about:
    'Bring an OpenAPI file or an MCP server and set a price. Keys, exact credits, receipts, plans, payment and docs come with it: one process and one PostgreSQL database, open source, on your machine.',
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
    code: 'git clone https://github.com/finmeter/finmeter && cd finmeter\nnpm start',
    about:
      'It opens on port 3000, with PostgreSQL included. Sign-in, payments and mail are simulated until you set them up.',
  },
  customer: {
    title: 'Be the first customer',
    about:
      'This installation sells the demonstration data until you add yours. Make a call here, or log in for a key of your own: four clicks to a call that is charged.',
    plans: 'Plans of the demonstration',
    failed: 'Failed to fetch plans',
    pricing: 'Pricing of the demonstration',
    dashboard: 'Open your dashboard',
  },
  ways: {
    title: 'Three ways to bring what you sell',
    about: 'You do not change your API. A running server serves what you add within two seconds.',
    list: [
      {
        title: 'An OpenAPI file',
        about: 'OpenAPI 3.0, 3.1 or Swagger 2. Its GET operations become endpoints and MCP tools.',
        code: 'npm run upstream -- add openapi.yaml --id acme --base https://api.acme.example --price 1',
      },
      {
        title: 'An MCP server',
        about: 'Its tools get a price, too. A tool that changes later is served only after you approve it.',
        code: 'npm run upstream -- add-mcp https://tools.acme.example/mcp --id acme --price 1',
      },
      {
        title: 'Rows of your own',
        about: 'A CSV or Parquet file and a manifest of a few lines become a dataset.',
        code: 'npm run data -- publish acme.yaml',
      },
    ],
  },
  cost: {
    title: 'What it costs',
    own: '$0',
    about:
      'Finmeter is free: Apache-2.0, no fee per call, no share of your revenue. You pay for the machine that it runs on, and Stripe its fee when a customer pays by card.',
  },
  gets: {
    title: 'What your customers get',
    list: [
      { title: 'REST and MCP', about: 'One key for both. Your operations become tools for AI clients.' },
      { title: 'OpenAPI document', about: 'Each operation with its inputs and price, for client generators and AI.' },
      { title: 'Plans and payment', about: 'A free plan, subscriptions, top-ups and pay-as-you-go, through Stripe.' },
      { title: 'Keys with limits', about: 'Scopes, monthly budgets, rate limits, expiry and rotation for each key.' },
      { title: 'Exact credits', about: 'A hard stop at zero. All keys of an account share its credits.' },
      { title: 'Receipts', about: 'Every call has a receipt that customers can look up and export.' },
    ],
  },
  charges: {
    title: 'What is charged, and what is not',
    about: 'Each charge is on disk before the response leaves. What failed is free.',
    outcome: 'What happens',
    cost: 'Cost',
    list: [
      { outcome: 'Your API answers with a 2xx status', cost: 'Your price', free: false },
      { outcome: 'A stream ends, or the customer disconnects halfway', cost: 'What was delivered', free: false },
      { outcome: 'Your API fails, times out or sends a broken body', cost: 'Free', free: true },
      { outcome: 'An MCP tool returns an error', cost: 'Free', free: true },
      { outcome: 'The input is invalid, or the key is unknown', cost: 'Free', free: true },
      { outcome: 'The customer has no credits left', cost: 'Free: 402, and your API is not called', free: true },
      { outcome: 'A retry with the same idempotency key', cost: 'Free, with the same receipt', free: true },
    ],
    prices:
      'A price is fixed, or counts rows, KiB or a unit that your API reports, such as tokens. If a price can vary, the highest price is held first, and the actual price is charged when the work is done.',
  },
  door: {
    title: 'Keep your gateway',
    about:
      'Traffic does not have to pass through Finmeter. Your gateway or your code asks Finmeter before the work, and settles after it. Configurations for nginx, Caddy, Traefik and Envoy are included.',
    steps: [
      'Create a service key. It starts with fms_.',
      'Authorize: the customer’s key is checked, and credits are held.',
      'Do the work, then settle its price. Or release the hold, at no cost.',
    ],
    label: 'Terminal',
    command: 'npm run admin -- meter-key --upstream acme',
    routes: [
      { route: 'POST /v1/meter/authorize', about: 'Checks key, limits and credits, and holds the highest price.' },
      { route: 'POST /v1/meter/settle', about: 'Charges what the work cost and releases the rest.' },
      { route: 'POST /v1/meter/release', about: 'Releases the whole hold. Nothing is charged.' },
      { route: 'GET /v1/meter/auth', about: 'For gateways that only ask yes or no. Charges on admission.' },
    ],
  },
  comparison: {
    title: 'Compared with others',
    about: 'Gateways control access. Billing engines count after the response. Finmeter charges before it.',
    question: 'Question',
    speed:
      'A metered call runs at 0.37 of the speed of a bare Node server that sends the same bytes, and 24 times as fast as checking and counting a key with Better Auth, all on one machine in one run. Repeat it:',
  },
  not: {
    title: 'Not for you if',
    list: [
      'You want someone else to host it. Finmeter runs on your machines.',
      'You need a network of edge locations. Finmeter runs where you run it.',
      'You need no credits. A plain gateway is faster: Kong publishes 97,208 requests per second on 16 vCPUs for key checks and rate limits.',
      'You bill for seats or storage rather than calls. A billing engine such as Lago or OpenMeter fits better.',
      'Your API speaks gRPC or WebSocket. Finmeter takes OpenAPI and MCP.',
    ],
  },
}
