/** Title and sentence of the dashboard's pages, by route: its frame shows them before the session is known. */
export const pageHeadings = {
  '/dashboard/': { title: 'Overview', about: 'Your plan, credits, keys and latest calls at a glance.' },
  '/dashboard/api-keys/': {
    title: 'API Keys',
    about: 'Each key opens the REST API and the MCP server. All keys of the workspace spend the same credits.',
  },
  '/dashboard/api-keys/$keyId': { title: 'API Key', about: 'Its value, its use, and the way to end it.' },
  '/dashboard/api-keys/new': {
    title: 'Create API Key',
    about: 'One key for each place that uses it: delete one, and the others go on.',
  },
  '/dashboard/billing/': { title: 'Billing', about: 'Your plan, your credits, and what they cost.' },
  '/dashboard/billing/invoices': {
    title: 'Invoice History',
    about: 'Every invoice of this workspace, with its PDF.',
  },
  '/dashboard/playground': { title: 'MCP Playground', about: 'Connect to the tool server, call tools and chat.' },
  '/dashboard/settings/': {
    title: 'Settings',
    about: 'Your account, the alerts it sends, and what becomes of its data.',
  },
  '/dashboard/settings/audit-log': {
    title: 'Audit log',
    about: 'Who did what in this workspace, and your own sign-ins. Nothing here can be changed.',
  },
  '/dashboard/settings/team': {
    title: 'Team Management',
    about: 'Who works in this workspace, and what each of them may do.',
  },
} as const satisfies Record<string, { title: string; about: string }>

/** The heading of the page of a route; `/` is Overview. Undefined for what is no page of the dashboard. */
export const pageHeading = (routeId: string): { title: string; about: string } | undefined =>
  pageHeadings[(routeId === '/' ? '/dashboard/' : routeId) as keyof typeof pageHeadings]
