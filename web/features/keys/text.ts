import { formatWhole } from '../../lib/format.ts'

export const keysText = {
  title: 'API Keys',
  loading: 'Loading API keys...',
  loadFailed: 'Failed to load API keys',
  loadFailedToast: 'Failed to load API keys. Please try again.',
  copied: 'API key copied to clipboard',
  none: 'No API keys yet',
  managersOnly: 'Owners and admins of this workspace create its keys.',
  noneAbout: 'Create a key to make your first call. It appears here with its usage.',
  all: (count: number) => `All ${formatWhole(count)} API keys`,
  create: 'Create API Key',
  creating: 'Creating...',
  cancel: 'Cancel',
  nameLabel: 'Key Name',
  nameHint: 'A name that tells you where the key is used, for example “Backtests” or “Claude”.',
  notFound: 'API Key Not Found',
  notFoundAbout: 'The requested API key could not be found.',
  usageCount: 'Usage Count',
  lastDays: (requests: string) => `${requests} in the last 30 days, `,
  lastUsed: 'Last Used',
  never: 'Never',
  getYours: 'Get Your API Key',
  steps: [
    { title: 'Choose a Plan', about: 'The free plan needs no card. Paid plans add credits and higher limits.' },
    { title: 'Complete Purchase', about: 'Redeem the free plan in one click, or pay for another at checkout.' },
    {
      title: 'Get Your API Key',
      about: 'Redeeming a plan creates your first key. Create more whenever you need them.',
    },
    { title: 'Start Using MCP', about: 'Give your AI client the tool server address with your key:' },
  ],
}
