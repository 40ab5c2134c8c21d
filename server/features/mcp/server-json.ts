import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config/config.ts'
import { isNamed, type Shop, slugOf } from '../shop/shop.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** This installation's entry for the MCP registry, ready for the operator to publish. */
export function serverJson({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, shop: Shop) {
  return {
    $schema: SCHEMA,
    // The namespace that a DNS record of the domain proves: com.example for example.com.
    name: `${new URL(PUBLIC_URL).hostname.split('.').reverse().join('.')}/${slugOf(shop)}`,
    title: shop.name,
    // The registry takes at most 100 characters.
    description: isNamed(shop)
      ? (shop.promise ?? `The tools of ${shop.name}. Metered by credits.`).slice(0, 100)
      : 'Financial data as tools: prices, companies, statements, economy. Metered by credits.',
    version: packageJson.version,
    websiteUrl: PUBLIC_URL,
    remotes: [
      {
        type: 'streamable-http',
        url: `${PUBLIC_URL}/mcp`,
        headers: [
          { name: 'X-API-Key', description: 'An API key of your workspace', isRequired: false, isSecret: true },
        ],
      },
    ],
  }
}
