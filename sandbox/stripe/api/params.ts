import type { Fields } from '../objects/bodies.ts'
import { resolve, type Schema } from './contract.ts'
import { invalid } from './errors.ts'

interface Tree {
  [key: string]: string | Tree
}

/** Nested form fields (`items[0][price]=x`, `expand[]=y`) as a tree of strings. */
export function decodeForm(text: string): Tree {
  const root: Tree = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.replaceAll(']', '').split('[')
    const last = keys.pop() ?? ''
    let node = root
    for (const key of keys) {
      if (typeof node[key] !== 'object') node[key] = Object.create(null)
      node = node[key] as Tree
    }
    node[last === '' ? String(Object.keys(node).length) : last] = value
  }
  return root
}

/** Checks a decoded form against the contract and converts its types. Errors are in Stripe's words. */
export function readParams(schema: Schema, tree: Tree): Fields {
  return readObject(resolve(schema), tree, '') as Fields
}

function read(schema: Schema, value: string | Tree, name: string): unknown {
  const wanted = resolve(schema)
  if (wanted.anyOf) return readAny(wanted.anyOf, value, name)
  if (wanted.type === 'object') return readObject(wanted, value, name)
  if (wanted.type === 'array') return readArray(wanted, value, name)
  if (typeof value !== 'string') throw invalid(`Invalid ${wanted.type}: ${JSON.stringify(value)}`, { param: name })
  return readScalar(wanted, value, name)
}

function readAny(choices: Schema[], value: string | Tree, name: string): unknown {
  let problem: unknown
  for (const choice of choices) {
    try {
      return read(choice, value, name)
    } catch (error) {
      const fitsKind =
        (resolve(choice).type === 'object' || resolve(choice).type === 'array') === (typeof value === 'object')
      if (!problem || fitsKind) problem = error
    }
  }
  throw problem
}

function readObject(schema: Schema, value: string | Tree, name: string): unknown {
  if (typeof value === 'string') throw invalid('Invalid object', { param: name })
  const result: Fields = {}
  const known = schema.properties ?? {}
  for (const [key, item] of Object.entries(value)) {
    const path = name ? `${name}[${key}]` : key
    const rule = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties
    if (!rule) throw invalid(`Received unknown parameter: ${path}`, { code: 'parameter_unknown', param: path })
    if (rule === true) result[key] = item
    else result[key] = rule === known[key] ? read(rule, item, path) : readExtra(rule, item, path)
  }
  for (const key of schema.required ?? []) {
    const path = name ? `${name}[${key}]` : key
    if (!(key in result)) throw invalid(`Missing required param: ${path}.`, { code: 'parameter_missing', param: path })
  }
  return result
}

/** A key that the contract does not name (metadata); an empty value removes it. */
function readExtra(rule: Schema, item: string | Tree, path: string): unknown {
  return item === '' ? '' : read(rule, item, path)
}

function readArray(schema: Schema, value: string | Tree, name: string): unknown[] {
  if (typeof value === 'string') throw invalid('Invalid array', { param: name })
  return Object.entries(value).map(([key, item]) => read(schema.items ?? {}, item, `${name}[${key}]`))
}

function readScalar(schema: Schema, value: string, name: string): unknown {
  const choices = schema.enum ?? schema['x-known-values']
  if (choices && !choices.includes(value)) {
    throw invalid(`Invalid ${name}: must be one of ${choices.join(', ')}`, { param: name })
  }
  if (schema.type === 'boolean') {
    if (value === 'true' || value === 'false') return value === 'true'
    throw invalid(`Invalid boolean: ${value}`, { param: name })
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    if ((schema.type === 'integer' ? /^-?\d{1,15}$/ : /^-?\d+(\.\d+)?$/).test(value)) return Number(value)
    throw invalid(`Invalid ${schema.type}: ${value}`, { code: 'parameter_invalid_integer', param: name })
  }
  if (value === '' && !choices) {
    const text = `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset.`
    throw invalid(text, { code: 'parameter_invalid_empty', param: name })
  }
  if (schema.pattern && !new RegExp(schema.pattern).test(value))
    throw invalid(`Invalid decimal: ${value}`, { param: name })
  if (value.length > (schema.maxLength ?? 5000)) throw invalid(`Invalid string: ${name} is too long`, { param: name })
  return value
}
