import type { JsonSchema, Node, Resource } from './node.ts'

/** A document whose schemas are known by place, `$id` and anchor. */
export interface SchemaIndex {
  root: Node
  isDraft7: boolean
  /** Whether a reference depends on the way that led to it. */
  isDynamic: boolean
  /** All nodes found so far. */
  nodes: readonly Node[]
  /** The node of a schema that is part of another. */
  child: (parent: Node, step: string, schema: unknown) => Node
  /** What `$ref` or `$dynamicRef` of a node names; undefined if the document has no such part. */
  resolve: (node: Node, reference: string) => { node: Node; anchor?: string } | undefined
}

/** Keywords whose values have schemas. */
const HOLDERS = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems', 'items', 'contains'],
  ...['not', 'if', 'then', 'else', 'propertyNames', 'allOf', 'anyOf', 'oneOf', 'prefixItems'],
])
/** Those whose values have a schema for each name. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])

const NO_ID = 'schema:/'
/** Addresses within addresses grow at each level. */
const MOST_ADDRESS = 500

/**
 * Finds the schemas of a document: 2020-12, or draft-07 by its `$schema`. Takes any nesting, because it does not recur. Throws an Error
 * for more than `most`, or with it for an address of more than 500 characters.
 */
export function indexSchema(document: JsonSchema | boolean, most = Number.POSITIVE_INFINITY): SchemaIndex {
  const byObject = new Map<object, Node>()
  const byBase = new Map<string, Resource>()
  const nodes: Node[] = []
  const isDraft7 = isObject(document) && String(document.$schema ?? '').includes('draft-07')
  let isDynamic = false

  const add = (schema: JsonSchema, parent: Node | null, step: string, around: Resource | null): Node => {
    const { $id } = schema
    const isAnchor = typeof $id === 'string' && $id.startsWith('#')
    const node = { schema, parent, step } as Node
    if (around === null || (typeof $id === 'string' && !isAnchor)) {
      const base = resolved(typeof $id === 'string' && !isAnchor ? $id : '', around?.base ?? NO_ID) ?? NO_ID
      node.resource = { base: base.split('#')[0]!, root: node, anchors: new Map(), dynamicAnchors: new Map() }
      if (!byBase.has(node.resource.base)) byBase.set(node.resource.base, node.resource)
    } else node.resource = around
    const { anchors, dynamicAnchors } = node.resource
    if (isAnchor && isDraft7) anchors.set($id.slice(1), node)
    if (typeof schema.$anchor === 'string') anchors.set(schema.$anchor, node)
    if (typeof schema.$dynamicAnchor === 'string') {
      anchors.set(schema.$dynamicAnchor, node)
      dynamicAnchors.set(schema.$dynamicAnchor, node)
    }
    if (typeof schema.$dynamicRef === 'string') isDynamic = true
    if (nodes.length >= most) throw new Error(`it has more than ${most} parts`)
    if (node.resource.base.length > MOST_ADDRESS && most < Number.POSITIVE_INFINITY)
      throw new Error(`$id leads to an address of more than ${MOST_ADDRESS} characters`)
    byObject.set(schema, node)
    nodes.push(node)
    return node
  }

  /** Adds a schema and all within it. */
  const addAll = (schema: JsonSchema, parent: Node | null, step: string, around: Resource | null): Node => {
    const first = nodes.length
    const top = add(schema, parent, step, around)
    for (let at = first; at < nodes.length; at++) {
      const node = nodes[at]!
      eachPart(node.schema as JsonSchema, (way, part) => {
        if (!byObject.has(part)) add(part, node, way, node.resource)
      })
    }
    return top
  }

  const root = isObject(document) ? addAll(document, null, '#', null) : booleanRoot(document)
  if (nodes.length === 0) nodes.push(root)

  const child = (parent: Node, step: string, schema: unknown): Node =>
    (isObject(schema) && byObject.get(schema)) || {
      schema: typeof schema === 'boolean' ? schema : true,
      resource: parent.resource,
      parent,
      step,
    }

  const follow = (from: Node, pointer: string): Node | undefined => {
    let at: unknown = from.schema
    let known = from
    let way = ''
    for (const part of pointer.split('/').slice(1)) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined
      at = Reflect.get(at, name)
      way += `/${part}`
      const node = isObject(at) ? byObject.get(at) : undefined
      if (node) [known, way] = [node, '']
    }
    if (way === '') return known
    const step = way.slice(1)
    if (isObject(at)) return addAll(at, known, step, known.resource)
    return typeof at === 'boolean' ? child(known, step, at) : undefined
  }

  const resolve: SchemaIndex['resolve'] = (node, reference) => {
    const [address, fragment = ''] = splitAt(reference, '#')
    const url = address === '' ? node.resource.base : resolved(address, node.resource.base)
    const resource = url === node.resource.base ? node.resource : byBase.get(url ?? '')
    if (!resource) return undefined
    if (fragment === '') return { node: resource.root }
    if (fragment.startsWith('/')) {
      const found = follow(resource.root, fragment)
      return found && { node: found }
    }
    const found = resource.anchors.get(decoded(fragment))
    return found && { node: found, anchor: decoded(fragment) }
  }

  return {
    root,
    isDraft7,
    get isDynamic() {
      return isDynamic
    },
    nodes,
    child,
    resolve,
  }
}

/** Calls `found` with each schema directly within a schema, and its way. */
function eachPart(schema: JsonSchema, found: (way: string, part: JsonSchema) => void): void {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null) continue
    if (MAPS.has(keyword)) {
      for (const [name, part] of Object.entries(value)) if (isObject(part)) found(`${keyword}/${escaped(name)}`, part)
    } else if (HOLDERS.has(keyword)) {
      if (isObject(value)) found(keyword, value)
      else for (const [at, part] of (value as unknown[]).entries()) if (isObject(part)) found(`${keyword}/${at}`, part)
    }
  }
}

function booleanRoot(schema: boolean): Node {
  const node = { schema, parent: null, step: '#' } as Node
  node.resource = { base: NO_ID, root: node, anchors: new Map(), dynamicAnchors: new Map() }
  return node
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name as a step of a JSON pointer (RFC 6901). */
export const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const splitAt = (text: string, mark: string): [string, string?] => {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function resolved(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? new URL(address, base).href : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
