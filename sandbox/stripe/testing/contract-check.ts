import { Ajv, type ValidateFunction } from 'ajv'
import { contract, findOperation } from '../api/contract.ts'

type Json = Record<string, unknown>

/** The contract as JSON Schema. Answers may have only fields that Stripe names. */
function convert(node: unknown, answers: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => convert(item, answers))
  if (node === null || typeof node !== 'object') return node
  const { nullable, format: _format, ...rest } = node as Json
  const made = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, convert(value, answers)]))
  const closed = made.properties && Object.keys(made.properties).length > 0 && made.additionalProperties === undefined
  if (answers && closed) made.additionalProperties = false
  return nullable === true ? { anyOf: [made, { type: 'null' }] } : made
}

const requests = new Ajv({ strict: false, coerceTypes: true, validateFormats: false })
requests.addSchema(convert(contract, false) as Json, 'stripe')
const answers = new Ajv({ strict: false, validateFormats: false, allErrors: true })
answers.addSchema(convert(contract, true) as Json, 'stripe')

function compiled(ajv: Ajv, ...path: string[]): ValidateFunction {
  const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const id = `stripe#/${pointer}`
  const found = ajv.getSchema(id)
  if (!found) throw new Error(`No schema ${id}`)
  return found
}

/** A form as nested values, decoded independently of the sandbox. */
export function formToJson(text: string): Json {
  const root: Json = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([key]) => key)
    let node = root
    for (const key of path.slice(0, -1)) {
      node[key] ??= {}
      node = node[key] as Json
    }
    node[path.at(-1) as string] = value
  }
  return arrays(root) as Json
}

function arrays(node: unknown): unknown {
  if (node === null || typeof node !== 'object') return node
  const entries = Object.entries(node).map(([key, value]) => [key, arrays(value)] as const)
  const isArray = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isArray ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

/** Breaches of Stripe's contract in a request's parameters or an answer; empty if there are none. */
export function problems(method: string, url: URL, form: string, status: number, answer: unknown): string[] {
  const found = findOperation(method, url.pathname)
  if (!found) return [`unknown operation ${method} ${url.pathname}`]
  const { path } = found.operation
  const operation = ['paths', path, method.toLowerCase()]
  const wrong: string[] = []
  if (method === 'POST') {
    const check = compiled(
      requests,
      ...operation,
      'requestBody',
      'content',
      'application/x-www-form-urlencoded',
      'schema',
    )
    if (!check(formToJson(form)) && status < 400)
      wrong.push(`request ${method} ${path}: ${requests.errorsText(check.errors)}`)
  }
  const kind = status < 400 ? '200' : 'default'
  const check = compiled(answers, ...operation, 'responses', kind, 'content', 'application/json', 'schema')
  if (!check(answer))
    wrong.push(`answer ${method} ${path} ${status}: ${answers.errorsText(check.errors).slice(0, 600)}`)
  return wrong
}

/** Breaches of the contract in the object of an event. */
export function eventProblems(type: string, object: unknown): string[] {
  const name = (contract['x-events'] as Record<string, string>)[type]
  if (!name) return [`unknown event ${type}`]
  const check = compiled(answers, 'components', 'schemas', name)
  return check(object) ? [] : [`event ${type}: ${answers.errorsText(check.errors).slice(0, 600)}`]
}
