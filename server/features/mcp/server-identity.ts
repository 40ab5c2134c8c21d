import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config/config.ts'
import { isNamed, type Shop, slugOf } from '../shop/shop.ts'

/** How the server names itself in the handshake and in results. */
export const serverInfo = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, shop: Shop) => ({
  name: slugOf(shop),
  title: shop.name,
  version: packageJson.version,
  icons: [
    shop.logo
      ? { src: PUBLIC_URL + shop.logo.path, mimeType: shop.logo.type, sizes: ['any'] }
      : { src: `${PUBLIC_URL}/icon.png`, mimeType: 'image/png', sizes: ['96x96'] },
  ],
})

/** What a model is told first: the shop's promise, then how its tools are used. */
export const instructionsOf = (shop: Shop, knowledge: string): string =>
  isNamed(shop) ? `${shop.name}${shop.promise ? `: ${shop.promise}` : '.'} ${knowledge}` : knowledge

/** The lists are the same for every key, so clients and proxies may cache them. Clients that listen are told of a change. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const
/** What an account may read depends on its plan and changes with the data. */
export const PRIVATE_CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const
