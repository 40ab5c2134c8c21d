/** A JSON Schema that is an object. */
export type JsonSchema = Record<string, unknown>

/** Part of a document with an `$id` of its own, or the whole document. */
export interface Resource {
  base: string
  root: Node
  anchors: Map<string, Node>
  dynamicAnchors: Map<string, Node>
}

/** One schema within a document. */
export interface Node {
  schema: JsonSchema | boolean
  resource: Resource
  parent: Node | null
  /** The way from the parent, as part of a JSON pointer. */
  step: string
  /** Made when it is first needed: most of a large document never is. */
  rules?: Rules
}

/** What a node asks of each kind of value, in the order in which the first broken rule is told. */
export interface Rules {
  of: Record<Kind, readonly Check[]>
  /** Has `unevaluatedProperties` or `unevaluatedItems`. */
  tracks: boolean
  /** Leads to other nodes, so that its work is worth remembering. */
  branches: boolean
}

export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object' | 'other'

/** Null if the value follows the rule. `seen` is given where a schema around it has to know what this one looked at. */
export type Check = (run: Run, value: never, scope: Scope, seen: Evaluated | null) => Failure | null

/** A broken rule, or one further inside the value. */
export type Failure = { key: string; inner: Failure } | Broken

export interface Broken {
  node: Node
  keyword: string
  /** What its text needs besides the schema: a name, or a number. */
  detail?: unknown
}

/** One validation, which ends when its limits are reached. */
export interface Run {
  /** Counts work that takes time. Throws OverLimit. */
  spend: (steps: number) => void
  /** Goes one level deeper, until `leave`. Throws OverLimit. */
  enter: () => void
  leave: () => void
  evaluate: (node: Node, value: unknown, scope: Scope, seen: Evaluated | null) => Failure | null
}

/** The limit of steps or of depth that a validation reached. */
export class OverLimit extends Error {
  override name = 'OverLimit'
  readonly limit: 'steps' | 'depth'
  constructor(limit: 'steps' | 'depth') {
    super(limit)
    this.limit = limit
  }
}

/** The properties and entries of one value that its schema looked at. */
export class Evaluated {
  readonly names = new Set<string>()
  readonly indexes = new Set<number>()
  allNames = false
  /** All entries before this one. */
  items = 0

  add(run: Run, other: Evaluated): void {
    run.spend(other.names.size + other.indexes.size)
    for (const name of other.names) this.names.add(name)
    for (const index of other.indexes) this.indexes.add(index)
    this.allNames ||= other.allNames
    this.items = Math.max(this.items, other.items)
  }
}

/** What was found out about a value: it is wrong, or it is right and so much of it was looked at. */
type Found = Failure | Evaluated | true

/** How many resources are looked through, or copied, in no more time than a step takes. */
const RESOURCES_PER_STEP = 128
const COPIED_PER_STEP = 16

/**
 * The resources that led to a node, in the order in which they were first entered: all that `$dynamicRef` depends on. Results are
 * remembered by scope, node and value.
 */
export class Scope {
  readonly #inner = new Map<Resource, Scope>()
  readonly #found = new Map<Node, Map<unknown, Found>>()
  readonly #tracked = new Map<Node, Map<unknown, Found>>()

  readonly resources: readonly Resource[]

  constructor(resources: readonly Resource[]) {
    this.resources = resources
  }

  enter(resource: Resource, run: Pick<Run, 'spend'>): Scope {
    run.spend(Math.trunc(this.resources.length / RESOURCES_PER_STEP))
    if (this.resources.includes(resource)) return this
    const known = this.#inner.get(resource)
    if (known) return known
    run.spend(Math.trunc(this.resources.length / COPIED_PER_STEP))
    const inner = new Scope([...this.resources, resource])
    this.#inner.set(resource, inner)
    return inner
  }

  /** What is known about a value, by whether it is known what of it was looked at. */
  found(node: Node, tracked: boolean): Map<unknown, Found> {
    const all = tracked ? this.#tracked : this.#found
    const found = all.get(node) ?? new Map<unknown, Found>()
    all.set(node, found)
    return found
  }
}
