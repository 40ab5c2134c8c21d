import { hostOf, isPrivateHost } from '../../../net/checked-addresses.ts'
import { reservedUpstreamIds } from '../../tools/reserved-upstream-ids.ts'
import type { OpenApi } from '../../upstreams/document/load-document.ts'

interface Described {
  title: string
  base?: string | undefined
  document?: string | undefined
  /** Whether the description may lead inside the operator's network. */
  trusted?: boolean
}

/**
 * What an operator would write for the keys that are missing in `given`; those that they wrote stay as they are. An address inside their
 * network is theirs to allow: that a foreign description names one allows nothing.
 */
export function suggestManifest(
  given: Record<string, unknown>,
  { title, base, document, trusted = false }: Described,
  taken: ReadonlySet<string>,
): Record<string, unknown> {
  const named = isText(given.base) ? given.base : base
  const url = named === undefined ? null : URL.parse(named)
  return {
    kind: 'openapi',
    ...(document !== undefined && { document }),
    defaults: { credits: 1 },
    ...(url && isPrivateHost(hostOf(url)) && { private_hosts: trusted || isText(given.base) ? [hostOf(url)] : [] }),
    ...given,
    id: isText(given.id) ? given.id : freeId(title, taken),
    ...(named !== undefined && { base: named }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** `acme-prices` for Acme Prices; with a number if that is taken. */
export function freeId(title: string, taken: ReadonlySet<string>): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 28)
    .replace(/-+$/, '')
  const wanted = words === '' ? 'api' : words
  const isFree = (id: string) => !taken.has(id) && !reservedUpstreamIds.has(id)
  for (let count = 1; ; count++) {
    const id = count === 1 ? wanted : `${wanted}-${count}`
    if (isFree(id)) return id
  }
}

/** The address of the first server that a description names; undefined: none that can be used as it is. */
export function serverOf({ servers }: OpenApi, from: string | undefined): string | undefined {
  const first = Array.isArray(servers) ? (servers[0] as { url?: unknown } | undefined)?.url : undefined
  if (typeof first !== 'string' || first.includes('{')) return undefined
  const url = URL.parse(first, from)
  return url && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, '') : undefined
}
