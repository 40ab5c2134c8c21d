interface LandingLink {
  title: string
  about: string
  href: string
}

export const landingCards: readonly LandingLink[] = [
  {
    title: 'Quick Start',
    about: 'Run a call in the page, then get your own key in four steps.',
    href: '/docs/getting-started',
  },
  {
    title: 'API Reference',
    about: 'Every endpoint and tool: parameters, price, examples and errors.',
    href: '/docs/reference',
  },
  {
    title: 'Authentication',
    about: 'Three ways to send a key, and how to keep it safe.',
    href: '/docs/authentication',
  },
]

/** Pages outside the navigation. */
export const landingLinks: readonly LandingLink[] = [
  { title: 'Pricing', about: 'Plans and what they cost.', href: '/docs/pricing' },
  { title: 'FAQ', about: 'Answers on plans, usage, security and support.', href: '/docs/faq' },
  { title: 'Sell your API', about: 'Put a price on your own REST API or MCP server.', href: '/sell' },
  { title: 'For language models', about: 'All documentation in one text file.', href: '/llms-full.txt' },
]
