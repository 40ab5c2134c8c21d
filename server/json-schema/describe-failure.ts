import type { Broken, Failure, JsonSchema, Node } from './node.ts'

/** The first broken rule of a value. */
export interface Problem {
  /** Names and positions that lead to the wrong part of the value. */
  path: string[]
  keyword: string
  /** Continues the name of that part: "must be string". */
  message: string
  /** The name that is missing, or too much. */
  name?: string
  /** What the schema allows, for `enum` and `const`. */
  allowed?: unknown[]
  /** The rule's place in the schema, as a JSON pointer. */
  schemaPath: string
}

/** Puts a failure into words: those of the validators that people know. */
export function describeFailure(failure: Failure): Problem {
  const path: string[] = []
  let at = failure
  while ('inner' in at) {
    path.push(at.key)
    at = at.inner
  }
  const { node, keyword, detail } = at
  const schema = node.schema as JsonSchema
  return {
    path,
    keyword,
    message: messageOf(at, schema[keyword], schema),
    ...(typeof detail === 'string' && { name: detail }),
    ...(keyword === 'enum' && { allowed: schema.enum as unknown[] }),
    ...(keyword === 'const' && { allowed: [schema.const] }),
    schemaPath: `${pointerOf(node)}/${keyword}`,
  }
}

const COMPARED: Record<string, string> = {
  maximum: '<=',
  minimum: '>=',
  exclusiveMaximum: '<',
  exclusiveMinimum: '>',
}
const COUNTED: Record<string, string> = {
  maxLength: 'more than # characters',
  minLength: 'fewer than # characters',
  maxItems: 'more than # items',
  minItems: 'fewer than # items',
  maxProperties: 'more than # properties',
  minProperties: 'fewer than # properties',
}
const SAID: Record<string, string> = {
  enum: 'must be equal to one of the allowed values',
  const: 'must be equal to constant',
  not: 'must NOT be valid',
  anyOf: 'must match a schema in anyOf',
  oneOf: 'must match exactly one schema in oneOf',
  additionalProperties: 'must NOT have additional properties',
  unevaluatedProperties: 'must NOT have unevaluated properties',
  'false schema': 'boolean schema is false',
}

function messageOf({ keyword, detail }: Broken, rule: unknown, schema: JsonSchema): string {
  if (keyword in SAID) return SAID[keyword]!
  if (keyword in COMPARED) return `must be ${COMPARED[keyword]} ${rule}`
  if (keyword in COUNTED) return `must NOT have ${COUNTED[keyword]!.replace('#', String(rule))}`
  switch (keyword) {
    case 'type':
      return `must be ${[rule, schema.nullable === true ? 'null' : []].flat().join(',')}`
    case 'multipleOf':
      return `must be multiple of ${rule}`
    case 'format':
      return `must match format "${rule}"`
    case 'required':
      return `must have required property '${detail}'`
    case 'contains': {
      const { minContains = 1, maxContains } = schema
      const most = maxContains === undefined ? '' : ` and no more than ${maxContains}`
      return `must contain at least ${minContains}${most} valid item(s)`
    }
    case 'dependencies':
    case 'dependentRequired': {
      const others = (rule as Record<string, string[]>)[String(detail)]!
      const noun = others.length === 1 ? 'property' : 'properties'
      return `must have ${noun} ${others.join(', ')} when property ${detail} is present`
    }
    // What is left closes a list: items, additionalItems and unevaluatedItems.
    default:
      return `must NOT have more than ${detail} items`
  }
}

function pointerOf(node: Node): string {
  const steps: string[] = []
  for (let at: Node | null = node; at; at = at.parent) steps.push(at.step)
  return steps.reverse().join('/')
}
