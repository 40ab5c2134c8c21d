import { ofEntries, ofProperties, ofReferences, ofTheRest, ofWhole } from './applicators.ts'
import { kindOf, ofAnything, ofLists, ofNumbers, ofObjects, ofText, typeOf } from './assertions.ts'
import type { SchemaIndex } from './index-schema.ts'
import { type Check, Evaluated, type Failure, type Node, OverLimit, type Rules, type Run, type Scope } from './node.ts'

export interface Limits {
  steps: number
  depth: number
  /** Results are remembered after this many steps: before, looking them up costs more than it saves. */
  rememberedFrom: number
}

/** Comparing longer text would take more than a step. */
const REMEMBERED_TEXT = 256

/**
 * One validation. A step is a schema that meets a value, or one more name, entry or piece of text that it looks at, so that steps are
 * a measure of time. After the first of them, the result of each schema and value is remembered: branches that overlap and refer to
 * themselves would take 2^depth steps.
 */
export class Evaluation implements Run {
  steps = 0
  #depth = 0
  readonly #index: SchemaIndex
  readonly #limits: Limits

  constructor(index: SchemaIndex, limits: Limits) {
    this.#index = index
    this.#limits = limits
  }

  spend(steps: number): void {
    this.steps += steps
    if (this.steps > this.#limits.steps) throw new OverLimit('steps')
  }

  enter(): void {
    if (++this.#depth > this.#limits.depth) throw new OverLimit('depth')
  }

  leave(): void {
    this.#depth--
  }

  evaluate(node: Node, value: unknown, around: Scope, seen: Evaluated | null): Failure | null {
    this.spend(1)
    const { schema } = node
    if (typeof schema === 'boolean') return schema ? null : { node, keyword: 'false schema' }
    node.rules ??= rulesOf(this.#index, node)
    const { of, tracks, branches } = node.rules
    const scope = this.#index.isDynamic ? around.enter(node.resource, this) : around
    const isRemembered =
      branches &&
      this.steps > this.#limits.rememberedFrom &&
      !(typeof value === 'string' && value.length > REMEMBERED_TEXT)
    const memo = isRemembered ? scope.found(node, seen !== null) : null
    const known = memo?.get(value)
    if (known !== undefined) {
      if (known === true) return null
      if (!(known instanceof Evaluated)) return known
      seen?.add(this, known)
      return null
    }
    const own = seen || tracks ? new Evaluated() : null
    this.enter()
    let failure: Failure | null = null
    for (const check of of[kindOf(value)]) {
      failure = check(this, value as never, scope, own)
      if (failure) break
    }
    this.leave()
    if (!failure && seen) seen.add(this, own!)
    memo?.set(value, failure ?? (seen ? own! : true))
    return failure
  }
}

/** In the order in which the first broken rule is told: what the value itself is, then what is in it. */
function rulesOf(index: SchemaIndex, node: Node): Rules {
  const schema = node.schema as Exclude<Node['schema'], boolean>
  const references = kept(ofReferences(index, node, schema))
  const whole = kept(ofWhole(index, node, schema))
  const entries = kept(ofEntries(index, node, schema))
  const properties = kept(ofProperties(index, node, schema))
  const rest = ofTheRest(index, node, schema)
  const any = [...kept([typeOf(node, schema)]), ...references, ...kept(ofAnything(node, schema)), ...whole]
  return {
    of: {
      string: [...any, ...kept(ofText(node, schema))],
      number: [...any, ...kept(ofNumbers(node, schema))],
      array: [...any, ...kept(ofLists(node, schema)), ...entries, ...kept([rest.list])],
      object: [...any, ...kept(ofObjects(node, schema)), ...properties, ...kept([rest.object])],
      boolean: any,
      null: any,
      other: any,
    },
    tracks: Boolean(rest.list || rest.object),
    branches: references.length + whole.length + entries.length + properties.length > 0,
  }
}

const kept = (checks: (Check | false)[]): Check[] => checks.filter((check) => check !== false)
