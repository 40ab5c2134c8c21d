/** Title and sentence of the dashboard pages, by route: the frame shows them during the session check. */
export const pageHeadings = {
  '/dashboard/': { title: 'Overview', about: 'Your plan, credits, keys and latest calls at a glance.' },
  '/dashboard/api-keys/': {
    title: 'API Keys',
    about: 'Each key works for the REST API and the MCP server. All keys in the workspace share its credits.',
  },
  '/dashboard/api-keys/$keyId': { title: 'API Key', about: 'View, limit, rotate or delete this key.' },
  '/dashboard/api-keys/new': {
    title: 'Create API Key',
    about: 'Use one key per application, so you can revoke one without breaking the others.',
  },
  '/dashboard/billing/': { title: 'Billing', about: 'Your plan, credits and costs.' },
  '/dashboard/billing/invoices': {
    title: 'Invoice History',
    about: 'All invoices of this workspace, with PDFs.',
  },
  '/dashboard/playground': { title: 'MCP Playground', about: 'Connect to the tool server, call tools and chat.' },
  '/dashboard/spreadsheets': {
    title: 'Spreadsheets',
    about: 'Put rows into Google Sheets, Excel or LibreOffice with one formula.',
  },
  '/dashboard/settings/': {
    title: 'Settings',
    about: 'Your account, alerts and data.',
  },
  '/dashboard/settings/audit-log': {
    title: 'Audit log',
    about: 'Who did what in this workspace, and your own sign-ins. Entries cannot be changed.',
  },
  '/dashboard/settings/security': {
    title: 'Security',
    about: 'How you sign in, and where you are signed in.',
  },
  '/dashboard/settings/team': {
    title: 'Team Management',
    about: 'The members of this workspace and their roles.',
  },
} as const satisfies Record<string, { title: string; about: string }>

/** The heading for a route; `/` is Overview. Undefined outside the dashboard. */
export const pageHeading = (routeId: string): { title: string; about: string } | undefined =>
  pageHeadings[(routeId === '/' ? '/dashboard/' : routeId) as keyof typeof pageHeadings]
