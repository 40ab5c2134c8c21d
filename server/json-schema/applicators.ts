import { has, requiredWith } from './assertions.ts'

import { escaped, type SchemaIndex } from './index-schema.ts'
import type { Check, Failure, JsonSchema, Node } from './node.ts'

type Checks = (Check | false)[]
type Child = (step: string, schema: unknown) => Node

/** What `$ref` and `$dynamicRef` lead to. */
export function ofReferences(index: SchemaIndex, node: Node, schema: JsonSchema): Checks {
  return [
    typeof schema.$dynamicRef === 'string' && dynamicReference(index, node, schema.$dynamicRef),
    typeof schema.$ref === 'string' && reference(index, node, schema.$ref),
  ]
}

/** The rules of the schemas within this one that are for the value itself. */
export function ofWhole(index: SchemaIndex, node: Node, schema: JsonSchema): Checks {
  const child: Child = (step, inner) => index.child(node, step, inner)
  const list = (keyword: string): Node[] | false =>
    Array.isArray(schema[keyword]) && schema[keyword].map((one, at) => child(`${keyword}/${at}`, one))
  const [not, anyOf, oneOf, allOf] = [
    'not' in schema && child('not', schema.not),
    list('anyOf'),
    list('oneOf'),
    list('allOf'),
  ]
  return [
    not && ((run, value, scope) => (run.evaluate(not, value, scope, null) ? null : { node, keyword: 'not' })),
    anyOf && any(node, anyOf),
    oneOf && exactlyOne(node, oneOf),
    allOf && all(allOf),
    'if' in schema && conditional(schema, child),
  ]
}

function reference(index: SchemaIndex, node: Node, given: string): Check | false {
  const target = index.resolve(node, given)?.node
  if (!target) return false
  return (run, value, scope, seen) => run.evaluate(target, value, scope, seen)
}

/** The first resource on the way that has the anchor says what is meant, if the reference itself leads to such an anchor. */
function dynamicReference(index: SchemaIndex, node: Node, given: string): Check | false {
  const found = index.resolve(node, given)
  if (!found) return false
  const { node: target, anchor } = found
  if (anchor === undefined || target.resource.dynamicAnchors.get(anchor) !== target)
    return (run, value, scope, seen) => run.evaluate(target, value, scope, seen)
  return (run, value, scope, seen) => {
    run.spend(scope.resources.length)
    const first = scope.resources.find(({ dynamicAnchors }) => dynamicAnchors.has(anchor))
    return run.evaluate(first?.dynamicAnchors.get(anchor) ?? target, value, scope, seen)
  }
}

function any(node: Node, branches: Node[]): Check {
  return (run, value, scope, seen) => {
    let first: Failure | null = null
    let fits = false
    for (const branch of branches) {
      const failure = run.evaluate(branch, value, scope, seen)
      if (failure) first ??= failure
      else fits = true
      if (fits && !seen) return null
    }
    return fits ? null : (first ?? { node, keyword: 'anyOf' })
  }
}

function exactlyOne(node: Node, branches: Node[]): Check {
  return (run, value, scope, seen) => {
    let first: Failure | null = null
    let fitting = 0
    for (const branch of branches) {
      const failure = run.evaluate(branch, value, scope, seen)
      if (failure) first ??= failure
      else if (++fitting > 1) return { node, keyword: 'oneOf' }
    }
    return fitting === 1 ? null : (first ?? { node, keyword: 'oneOf' })
  }
}

function all(parts: Node[]): Check {
  return (run, value, scope, seen) => {
    for (const part of parts) {
      const failure = run.evaluate(part, value, scope, seen)
      if (failure) return failure
    }
    return null
  }
}

function conditional(schema: JsonSchema, child: Child): Check | false {
  const asked = child('if', schema.if)
  const then = 'then' in schema && child('then', schema.then)
  const otherwise = 'else' in schema && child('else', schema.else)
  return (run, value, scope, seen) => {
    const next = run.evaluate(asked, value, scope, seen) ? otherwise : then
    return next ? run.evaluate(next, value, scope, seen) : null
  }
}

/** The schemas of the entries of a list. */
export function ofEntries(index: SchemaIndex, node: Node, schema: JsonSchema): Checks {
  const child: Child = (step, inner) => index.child(node, step, inner)
  const isOld = Array.isArray(schema.items)
  const [firstKeyword, restKeyword] = isOld ? ['items', 'additionalItems'] : ['prefixItems', 'items']
  const first = schema[firstKeyword]
  const own = Array.isArray(first) && prefix(first.map((one, at) => child(`${firstKeyword}/${at}`, one)))
  const others =
    restKeyword in schema &&
    rest(node, restKeyword, child(restKeyword, schema[restKeyword]), Array.isArray(first) ? first.length : null)
  return [
    // In the order of ajv, whose first broken rule clients see elsewhere.
    ...(isOld ? [others, own] : [own, others]),
    'contains' in schema && contains(index, node, schema, child('contains', schema.contains)),
  ]
}

function prefix(nodes: Node[]): Check {
  return (run, value: unknown[], scope, seen) => {
    const count = Math.min(nodes.length, value.length)
    for (let at = 0; at < count; at++) {
      const inner = run.evaluate(nodes[at]!, value[at], scope, null)
      if (inner) return { key: String(at), inner }
    }
    if (seen) seen.items = Math.max(seen.items, count)
    return null
  }
}

/** `after`: the entries that have schemas of their own; null: none has. */
function rest(node: Node, keyword: string, entry: Node, after: number | null): Check {
  const from = after ?? 0
  return (run, value: unknown[], scope, seen) => {
    if (after !== null && entry.schema === false) return value.length > from ? { node, keyword, detail: from } : null
    for (let at = from; at < value.length; at++) {
      const inner = run.evaluate(entry, value[at], scope, null)
      if (inner) return { key: String(at), inner }
    }
    if (seen) seen.items = Number.POSITIVE_INFINITY
    return null
  }
}

function contains({ isDraft7 }: SchemaIndex, node: Node, schema: JsonSchema, entry: Node): Check {
  const { minContains, maxContains } = isDraft7 ? {} : schema
  const least = typeof minContains === 'number' ? minContains : 1
  const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY
  return (run, value: unknown[], scope, seen) => {
    let found = 0
    for (let at = 0; at < value.length; at++) {
      if (run.evaluate(entry, value[at], scope, null)) continue
      found++
      seen?.indexes.add(at)
      if (!seen && found >= least && most === Number.POSITIVE_INFINITY) break
    }
    return found >= least && found <= most ? null : { node, keyword: 'contains' }
  }
}

/** The schemas of the properties of an object, and those that a property brings with it. */
export function ofProperties(index: SchemaIndex, node: Node, schema: JsonSchema): Checks {
  const child: Child = (step, inner) => index.child(node, step, inner)
  const map = (keyword: string): [string, unknown][] =>
    isObject(schema[keyword]) ? Object.entries(schema[keyword] as object) : []
  const declared = map('properties').map(([name, one]) => [name, child(`properties/${escaped(name)}`, one)] as const)
  const isOpen = map('patternProperties').length > 0
  return [
    'propertyNames' in schema && names(child('propertyNames', schema.propertyNames)),
    'additionalProperties' in schema &&
      !isOpen &&
      others(node, child('additionalProperties', schema.additionalProperties), new Set(declared.map(([name]) => name))),
    // As ajv: first all lists of names, then the schemas.
    ...map('dependencies').map(([name, one]) => Array.isArray(one) && requiredWith(node, 'dependencies', name, one)),
    ...map('dependencies').map(
      ([name, one]) => !Array.isArray(one) && schemaWith(name, child(`dependencies/${escaped(name)}`, one)),
    ),
    declared.length > 0 && properties(declared),
    isOpen && open,
    ...(index.isDraft7 ? [] : map('dependentRequired')).map(
      ([name, one]) => Array.isArray(one) && requiredWith(node, 'dependentRequired', name, one),
    ),
    ...(index.isDraft7 ? [] : map('dependentSchemas')).map(([name, one]) =>
      schemaWith(name, child(`dependentSchemas/${escaped(name)}`, one)),
    ),
  ]
}

/** The expressions of `patternProperties` are not run, so any name may be one of theirs. */
const open: Check = (_run, _value, _scope, seen) => {
  if (seen) seen.allNames = true
  return null
}

function properties(declared: (readonly [string, Node])[]): Check {
  return (run, value: object, scope, seen) => {
    run.spend(declared.length)
    for (const [name, node] of declared) {
      if (!has(value, name)) continue
      const inner = run.evaluate(node, Reflect.get(value, name), scope, null)
      if (inner) return { key: name, inner }
      seen?.names.add(name)
    }
    return null
  }
}

function others(node: Node, other: Node, declared: ReadonlySet<string>): Check {
  return (run, value: object, scope, seen) => {
    const all = Object.keys(value)
    run.spend(all.length)
    for (const name of all) {
      if (declared.has(name)) continue
      if (other.schema === false) return { node, keyword: 'additionalProperties', detail: name }
      const inner = run.evaluate(other, Reflect.get(value, name), scope, null)
      if (inner) return { key: name, inner }
      seen?.names.add(name)
    }
    return null
  }
}

function names(rule: Node): Check {
  return (run, value: object, scope) => {
    const all = Object.keys(value)
    run.spend(all.length)
    for (const name of all) {
      const failure = run.evaluate(rule, name, scope, null)
      if (failure) return failure
    }
    return null
  }
}

function schemaWith(name: string, part: Node): Check {
  return (run, value: object, scope, seen) => {
    run.spend(1)
    return has(value, name) ? run.evaluate(part, value, scope, seen) : null
  }
}

/** What no other rule of the schema looked at: these come last. */
export function ofTheRest(
  index: SchemaIndex,
  node: Node,
  schema: JsonSchema,
): { list: Check | false; object: Check | false } {
  const list =
    !index.isDraft7 && 'unevaluatedItems' in schema && index.child(node, 'unevaluatedItems', schema.unevaluatedItems)
  const object =
    !index.isDraft7 &&
    'unevaluatedProperties' in schema &&
    index.child(node, 'unevaluatedProperties', schema.unevaluatedProperties)
  return {
    list:
      list &&
      ((run, value: unknown[], scope, seen) => {
        const { items, indexes } = seen!
        for (let at = items; at < value.length; at++) {
          run.spend(1)
          if (indexes.has(at)) continue
          if (list.schema === false) return { node, keyword: 'unevaluatedItems', detail: at }
          const inner = run.evaluate(list, value[at], scope, null)
          if (inner) return { key: String(at), inner }
        }
        seen!.items = Number.POSITIVE_INFINITY
        return null
      }),
    object:
      object &&
      ((run, value: object, scope, seen) => {
        if (seen!.allNames) return null
        const all = Object.keys(value)
        run.spend(all.length)
        for (const name of all) {
          if (seen!.names.has(name)) continue
          if (object.schema === false) return { node, keyword: 'unevaluatedProperties', detail: name }
          const inner = run.evaluate(object, Reflect.get(value, name), scope, null)
          if (inner) return { key: name, inner }
        }
        seen!.allNames = true
        return null
      }),
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
