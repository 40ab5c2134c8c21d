/** An operation that the command `upstream -- add` would publish. */
export interface SoldOperation {
  /** Its method and path, as the file has them. */
  name: string
  title: string
  /** Its path with an example for each parameter that a call needs. */
  example: string
}

export interface SoldApi {
  title: string
  /** First part of the path of its endpoints. */
  id: string
  /** Where the API runs, if the file says so. */
  base: string | null
  operations: SoldOperation[]
  /** How many operations are not sold: other methods, and those that cannot be read. */
  left: number
}

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']
/** As the server has it: characters that no path may have. */
const UNUSABLE = /[?#\\%\s\p{C}]|\/\.{1,2}(\/|$)/u

/**
 * What the server would sell of an OpenAPI or Swagger description: its GET operations. Follows the server's rules
 * (server/features/upstreams/document); a test there compares the two. Throws an Error that says what to do.
 */
export function readOpenApi(given: unknown): SoldApi {
  const document = isNode(given) ? given : {}
  if (!/^(2\.0|3\.[01](\.\d+)?)$/.test(String(document.openapi ?? document.swagger ?? '')))
    throw new Error(
      'This is not an OpenAPI 3.0 or 3.1 or Swagger 2 description. It needs a line such as "openapi: 3.1.0".',
    )
  if (!isNode(document.paths)) throw new Error('This description has no paths, so there is nothing to sell.')
  const outside = foreignReference(document)
  if (outside !== null)
    throw new Error(`It refers to another file (${outside}). Bring it into one file first: npx @redocly/cli bundle`)
  const operations: SoldOperation[] = []
  const ids = new Set<unknown>()
  let left = 0
  for (const [path, item] of Object.entries(document.paths)) {
    const shared = resolve(document, item)
    for (const method of METHODS) {
      const described = shared?.[method]
      if (!isNode(described)) continue
      const read = method === 'get' ? readOperation(document, path, shared!, described) : null
      if (!read || ids.has(described.operationId ?? path)) left += 1
      else operations.push(read)
      ids.add(described.operationId ?? path)
    }
  }
  if (operations.length === 0)
    throw new Error(
      'This description has no GET operation that can be sold. Other methods need a manifest: see the documentation.',
    )
  const title = textOf(isNode(document.info) && document.info.title) ?? 'Your API'
  return { title: title.slice(0, 200), id: idOf(title), base: baseOf(document), operations, left }
}

function readOperation(document: Node, path: string, shared: Node, described: Node): SoldOperation | null {
  if (!path.startsWith('/') || UNUSABLE.test(path)) return null
  const parameters = [shared.parameters, described.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((one) => resolve(document, one))
  if (parameters.some((one) => one === undefined)) return null
  const inPath = new Map(parameters.flatMap((one) => (one!.in === 'path' ? [[String(one!.name), one!] as const] : [])))
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)
  if (named.some((name) => !inPath.has(name)) || [...inPath.keys()].some((name) => !named.includes(name))) return null
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    encodeURIComponent(exampleOf(document, inPath.get(name)!)),
  )
  const query = parameters
    .filter((one) => one!.in === 'query' && one!.required === true)
    .map((one) => `${encodeURIComponent(String(one!.name))}=${encodeURIComponent(exampleOf(document, one!))}`)
  return {
    name: `GET ${path}`,
    title: (textOf(described.summary) ?? textOf(described.operationId) ?? path).slice(0, 120),
    example: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
  }
}

/** A value that the description gives for a parameter, else its name in capitals. */
function exampleOf(document: Node, parameter: Node): string {
  const schema = resolve(document, parameter.schema) ?? parameter
  const examples = isNode(parameter.examples)
    ? Object.values(parameter.examples).map((one) => resolve(document, one)?.value)
    : []
  const listed = [schema.examples, schema.enum].flatMap((list) => (Array.isArray(list) ? list : []))
  const values = [parameter.example, ...examples, schema.example, schema.default, ...listed]
  const found = values.find((value) => ['string', 'number', 'boolean'].includes(typeof value))
  return found === undefined ? String(parameter.name).toUpperCase() : String(found)
}

/** `value`, or the part of the document that it refers to; undefined if that is not there. */
function resolve(document: Node, value: unknown): Node | undefined {
  let at = value
  for (let steps = 0; isNode(at) && typeof at.$ref === 'string'; steps++) {
    if (steps === 20) return undefined
    const names = at.$ref.split('/').slice(1)
    at = names.reduce<unknown>((node, name) => {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
      return isNode(node) && Object.hasOwn(node, key) ? node[key] : undefined
    }, document)
  }
  return isNode(at) ? at : undefined
}

/** The first `$ref` that leaves the document. */
function foreignReference(root: unknown): string | null {
  const waiting = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (!isNode(node)) continue
    if (typeof node.$ref === 'string' && !node.$ref.startsWith('#')) return node.$ref
    waiting.push(...Object.values(node))
  }
  return null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim()) || undefined

/** The first word of the title, in small letters; `/v1/api` and others are the server's own. */
function idOf(title: string): string {
  const [word] = title.toLowerCase().match(/[a-z][a-z0-9]{2,19}/) ?? []
  return word === undefined || word === 'api' || word === 'the' ? 'acme' : word
}

function baseOf({ servers, schemes, host, basePath }: Node): string | null {
  const [first] = Array.isArray(servers) ? servers : []
  const url =
    typeof host === 'string'
      ? `${Array.isArray(schemes) && schemes.includes('http') && !schemes.includes('https') ? 'http' : 'https'}://${host}${textOf(basePath) ?? ''}`
      : isNode(first) && first.url
  return typeof url === 'string' && /^https?:\/\/[\w.:/-]+$/.test(url) ? url.replace(/\/$/, '') : null
}
