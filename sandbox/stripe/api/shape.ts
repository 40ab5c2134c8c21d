import type { Body, Fields } from '../objects/bodies.ts'
import { resolve, type Schema, schemas } from './contract.ts'

/**
 * Completes a body to the contract's shape: fields that Stripe always sends and the sandbox does not use become null,
 * empty or false. A missing number or free text has no neutral value, so it is a defect of the sandbox and throws.
 */
export function complete<T extends Body>(body: T): T {
  const schema = schemas[body.object]
  if (!schema) throw new Error(`The contract has no resource ${body.object}`)
  fill(schema, body, body.object)
  return body
}

function fill(schema: Schema, value: Fields, path: string): void {
  const { properties = {}, required = [] } = schema
  for (const name of required) {
    const rule = properties[name]
    if (rule && value[name] === undefined) value[name] = neutral(rule, `${path}.${name}`)
  }
  for (const [name, rule] of Object.entries(properties)) visit(rule, value[name], `${path}.${name}`)
}

function visit(rule: Schema, value: unknown, path: string): void {
  if (value === null || typeof value !== 'object') return
  const wanted = resolve(rule)
  if (Array.isArray(value)) {
    for (const item of value) visit(wanted.items ?? {}, item, path)
  } else {
    const fields = value as Fields
    const named = typeof fields.object === 'string' ? schemas[fields.object] : undefined
    if (wanted.anyOf ? named : wanted.properties) fill(wanted.anyOf ? (named as Schema) : wanted, fields, path)
  }
}

function neutral(rule: Schema, path: string): unknown {
  const wanted = resolve(rule)
  if (wanted.type === 'array') return []
  if (wanted.type === 'object' && wanted.additionalProperties && !Object.keys(wanted.properties ?? {}).length) return {}
  if (rule.nullable || wanted.nullable) return null
  if (wanted.type === 'boolean') return false
  if (wanted.type === 'string' && wanted.enum?.length === 1) return wanted.enum[0]
  if (wanted.type === 'object') {
    if (wanted.properties?.object?.enum?.[0] === 'list')
      return { object: 'list', data: [], has_more: false, url: '/v1' }
    const made: Fields = {}
    fill(wanted, made, path)
    return made
  }
  throw new Error(`The sandbox left out ${path}`)
}
