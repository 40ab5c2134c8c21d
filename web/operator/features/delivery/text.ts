import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'

export const channelText: Record<DeliveryChannel, { label: string; about: string; of: string; empty: string }> = {
  events: {
    label: 'Payment events',
    about: 'Events from the payment provider. Applying an event again changes nothing.',
    of: 'Object',
    empty: 'Events appear here when the payment provider sends them.',
  },
  webhooks: {
    label: 'Webhooks',
    about:
      "Alerts to customers' servers. A retry has the same ID and a new signature, so the receiver can recognize it.",
    of: 'Server',
    empty: 'Alerts appear here after a customer sets an alert webhook.',
  },
  mails: {
    label: 'Emails',
    about:
      'Type, recipient and result, kept for 30 days. The text of an email is never kept. Resending an invitation creates a new link.',
    of: 'Recipient',
    empty: 'Emails appear here when the installation sends them.',
  },
  jobs: {
    label: 'Jobs',
    about: 'Background work of the servers. Successful jobs are not kept. Running a job again does no harm.',
    of: 'Runs on',
    empty: 'Jobs appear here while they wait or when they fail.',
  },
}

export const stateText: Record<DeliveryState, { label: string; tone: 'danger' | 'warning' | 'neutral' | 'success' }> = {
  failed: { label: 'Failed', tone: 'danger' },
  retrying: { label: 'Retrying', tone: 'warning' },
  waiting: { label: 'Waiting', tone: 'neutral' },
  done: { label: 'Done', tone: 'success' },
}

export const deliveryChannels = Object.keys(channelText) as DeliveryChannel[]
/** What most wants attention first. */
export const deliveryStates = Object.keys(stateText) as DeliveryState[]
