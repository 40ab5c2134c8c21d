/** The servers that a connection string names. */
export interface Hosts {
  /** The connection string once for each of its hosts, in its order. */
  urls: string[]
  /** Whether only a server that accepts writes will do. */
  mustWrite: boolean
}

/** Its message is a sentence for the operator and quotes nothing of the connection string. */
export class HostsError extends Error {
  override name = 'HostsError'
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/

/**
 * Reads `postgres://user@a:5432,b:5432/db` and `postgres://user@/db?host=a,b&port=5432,5433`, which libpq understands and
 * pg does not. A string with one host and no `target_session_attrs` comes back as it is. Throws `HostsError`.
 */
export function readHosts(connectionString: string): Hosts {
  const [, start = '', authority = '', path = '', search] = PARTS.exec(connectionString) ?? []
  const query = new URLSearchParams(search)
  const attribute = query.get('target_session_attrs')
  if (attribute !== null && !['any', 'read-write', 'primary'].includes(attribute))
    throw new HostsError(
      'DATABASE_URL asks for a server by a target_session_attrs that Finmeter cannot use, because it writes: set target_session_attrs=read-write.',
    )
  const names = (query.get('host') ?? '').split(',')
  const ports = (query.get('port') ?? '').split(',')
  const several = authority.includes(',') || names.length > 1
  if (!several && attribute === null) return { urls: [connectionString], mustWrite: false }
  query.delete('target_session_attrs')
  if (names.length === 1) {
    const rest = query.size > 0 ? `?${query}` : ''
    const hosts = authority.split(',')
    requireNames(hosts)
    return { urls: hosts.map((host) => `${start}${host}${path}${rest}`), mustWrite: several || attribute !== 'any' }
  }
  requireNames(names)
  if (ports.length > 1 && ports.length !== names.length)
    throw new HostsError('DATABASE_URL names several hosts: give it one port, or as many ports as hosts.')
  const urls = names.map((name, at) => {
    query.set('host', name)
    const port = ports[at] ?? ports[0]
    if (port) query.set('port', port)
    return `${start}${path}?${query}`
  })
  return { urls, mustWrite: true }
}

function requireNames(hosts: string[]): void {
  if (hosts.length > 1 && hosts.some((host) => host === ''))
    throw new HostsError('DATABASE_URL has a comma without a host beside it: remove it, or name the host.')
}

/** The same server or servers, another database. */
export const withDatabaseName = (connectionString: string, name: string): string =>
  connectionString.replace(PARTS, (_, start: string, authority: string, _path, search?: string) =>
    [`${start}${authority}/${name}`, ...(search === undefined ? [] : [search])].join('?'),
  )
