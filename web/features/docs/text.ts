export const docsText = {
  title: 'Documentation',
  search: 'Search the documentation',
  about: 'One key for the REST API and the MCP tool server. Every response states its cost.',
  cards: [
    {
      title: 'Quick Start',
      about: 'From sign-in to your first response in four clicks.',
      action: 'Make your first call',
      href: '/docs/quick-start',
    },
    {
      title: 'API Reference',
      about: 'Every endpoint and tool: parameters, price, examples and errors.',
      action: 'Browse the reference',
      href: '/docs/reference',
    },
    {
      title: 'Authentication',
      about: 'Three ways to send a key, and how to keep it safe.',
      action: 'Send your key',
      href: '/docs/authentication',
    },
  ],
  more: [
    {
      title: 'Getting started',
      about: 'Four steps from sign-up to your first request.',
      href: '/docs/getting-started',
    },
    { title: 'Pricing', about: 'Plans, pay-as-you-go and Enterprise.', href: '/docs/pricing' },
    { title: 'FAQ', about: 'Twenty answers on plans, usage, security and support.', href: '/docs/faq' },
    { title: 'Sell your API', about: 'Put a price on your own REST API or MCP server.', href: '/sell' },
  ],
  moreTitle: 'More',
  guidesTitle: 'Guides',
  guides: [
    {
      title: 'Credits and limits',
      about: 'What a call costs, and how retries stay free.',
      href: '/docs/credits-and-limits',
    },
    { title: 'MCP clients', about: 'Claude, Cursor, VS Code, ChatGPT, Codex, Gemini CLI.', href: '/docs/mcp-clients' },
    {
      title: 'Signing in from MCP clients',
      about: 'Claude and ChatGPT connect without a key, within a budget.',
      href: '/docs/mcp-sign-in',
    },
    { title: 'Formats and paging', about: 'JSON, CSV, long tables page by page.', href: '/docs/formats-and-paging' },
    { title: 'Spreadsheets', about: 'Google Sheets, Excel and LibreOffice.', href: '/docs/spreadsheets' },
    { title: 'Errors', about: 'What each code means and what to do.', href: '/docs/errors' },
    { title: 'Webhooks', about: 'Signed usage alerts, posted to your URL.', href: '/docs/webhooks' },
    { title: 'Self-hosting', about: 'One process and one PostgreSQL.', href: '/docs/self-hosting' },
    { title: 'Your own data', about: 'Serve your own CSV, Parquet, SQL or API data.', href: '/docs/own-data' },
    { title: 'For language models', about: 'All documentation in one text file.', href: '/llms-full.txt' },
  ],
}

/** Pages for those who run, choose or install this software: customers of a named shop do none of these. */
const forOperators = new Set(['/sell', '/docs/self-hosting', '/docs/own-data', '/docs/command-line'])

export const forReaders = <T extends { href: string }>(links: readonly T[], named: boolean): T[] =>
  links.filter(({ href }) => !named || !forOperators.has(href))
