import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'

export const channelText: Record<DeliveryChannel, { label: string; about: string; of: string; empty: string }> = {
  events: {
    label: 'Provider events',
    about: 'What the payment provider told this installation. An event that is applied again changes nothing twice.',
    of: 'Object',
    empty: 'Events of the payment provider appear here when it sends them.',
  },
  webhooks: {
    label: 'Webhooks',
    about:
      'Alerts to servers of customers. A retry has the same id and a new signature, so its receiver can tell a repeat.',
    of: 'Server',
    empty: 'Alerts appear here once a customer sets an alert webhook.',
  },
  mails: {
    label: 'Mails',
    about:
      'Kind, recipient and outcome, for 30 days. The text of a mail is never kept; sending an invitation again makes a new link.',
    of: 'Recipient',
    empty: 'Mails appear here when the installation sends them.',
  },
  jobs: {
    label: 'Jobs',
    about: 'Recurring work of the servers. A job that ended well is not kept; each can run again without harm.',
    of: 'On',
    empty: 'Jobs appear here while they wait, or when they fail.',
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
