import { shopNow } from '../../lib/shop.ts'
import { ownServer } from './own-server.ts'

/** A server as people call it: a shop's own one has the shop's name. */
export const serverLabel = (name: string): string => {
  const shop = shopNow()
  return name === ownServer && shop?.named ? shop.name : name
}
