import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { deliveryChannels, deliveryStates } from './text.ts'

export type DeliveryTab = DeliveryChannel | 'calls'
export interface DeliverySearch {
  channel?: DeliveryTab
  state?: DeliveryState
  hours?: number
}

export const deliveryTabs: readonly DeliveryTab[] = [...deliveryChannels, 'calls']
export const ranges: Record<string, string> = { '24': '24 hours', '168': '7 days', '720': '30 days' }

/** Absent in the address: the first channel, and its state that most wants attention. */
export const readDeliverySearch = ({ channel, state, hours }: Record<string, unknown>): DeliverySearch => ({
  ...(deliveryTabs.some((one) => one === channel) && { channel: channel as DeliveryTab }),
  ...(deliveryStates.some((one) => one === state) && { state: state as DeliveryState }),
  ...(String(hours) in ranges && { hours: Number(hours) }),
})
