import { notYet, technicalNames } from './technical-names.ts'

/** What is left of the software's name. */
export function found(given: string): string[] {
  const rest = [...technicalNames, ...notYet].reduce((left, name) => left.replaceAll(name, ' '), given)
  return [...rest.matchAll(/.{0,60}finmeter.{0,40}/gi)].map(([words]) => words)
}

const beside = [
  ...['/login', '/legal/imprint', '/device', '/connect', '/dashboard', '/dashboard/playground', '/nowhere'],
  ...['/dashboard/api-keys', '/dashboard/billing', '/dashboard/settings', '/dashboard/spreadsheets', '/invite/none'],
  ...['/llms.txt', '/llms-full.txt', '/openapi.json', '/server.json', '/config.json', '/docs/search.json'],
  ...['/robots.txt', '/v1/meter/openapi.json', '/.well-known/oauth-protected-resource/mcp', '/auth/v1/health'],
  ...['/.well-known/oauth-authorization-server', '/oauth/playground-client.json', '/auth/v1/undo?token=none'],
  // Refusals.
  ...['/v1/nothing', '/v1/usage', '/api/nothing', '/api/keys', '/auth/v1/user', '/oauth/authorize', '/shop/none.svg'],
  ...[
    '/billing/invoices',
    '/webhooks/stripe',
    '/sandbox/mail',
    '/v1/meter/authorize',
    '/docs/nowhere',
    '/docs/nowhere.md',
  ],
]

/** Everything that a visitor can read: the pages of the sitemap, their Markdown, and what is listed nowhere. By path. */
export async function crawl(url: string): Promise<Map<string, string>> {
  /** Without the places at which an address may break. */
  const text = async (path: string): Promise<string> => (await (await fetch(url + path)).text()).replaceAll('<wbr>', '')
  const addresses = [...(await text('/sitemap.xml')).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, address]) => new URL(address!).pathname,
  )
  const twins = addresses.filter((path) => path.startsWith('/docs/')).map((path) => `${path}.md`)
  const read = new Map<string, string>()
  for (const path of [...addresses, ...twins, ...beside]) read.set(path, await text(path))
  return read
}
