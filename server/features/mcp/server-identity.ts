import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config/config.ts'

/** How the server names itself in the handshake and in results. */
export const serverInfo = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) => ({
  name: 'finmeter',
  title: 'Finmeter',
  version: packageJson.version,
  icons: [{ src: `${PUBLIC_URL}/icon.png`, mimeType: 'image/png', sizes: ['96x96'] }],
})

/** The lists are the same for every key, so clients and proxies may cache them. Clients that listen are told of a change. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const
/** What an account may read depends on its plan and changes with the data. */
export const PRIVATE_CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const
