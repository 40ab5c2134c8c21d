import { codeSpan } from './plain-text.ts'

type Schema = Record<string, unknown>

const MOST_CHOICES = 60

/** A JSON Schema in a few words: `one of: 1d, 1w`, `whole number, 1 to 500`, `list, each item: text`. */
export function schemaText(schema: Schema): string {
  const choices = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as unknown[] | undefined
  if (choices) {
    const more = choices.length > MOST_CHOICES ? `, and ${choices.length - MOST_CHOICES} more` : ''
    return `one of: ${choices
      .slice(0, MOST_CHOICES)
      .map((choice) => codeSpan(String(choice)))
      .join(', ')}${more}`
  }
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (alternatives) return alternatives.map(schemaText).join(', or ')
  switch (schema.type) {
    case 'array':
      return [`list, each item: ${schemaText((schema.items ?? {}) as Schema)}`, size(schema, 'Items')]
        .filter(Boolean)
        .join('; ')
    case 'integer':
      return ['whole number', range(schema)].filter(Boolean).join(', ')
    case 'number':
      return ['number', range(schema)].filter(Boolean).join(', ')
    case 'boolean':
      return '`true` or `false`'
    case 'object':
      return objectText(schema)
    case 'string':
      return [schema.format === 'date' ? 'date, YYYY-MM-DD' : 'text', size(schema, 'Length')].filter(Boolean).join(', ')
    default:
      return schema.type === undefined ? 'any JSON value' : [schema.type].flat().map(String).join(' or ')
  }
}

function objectText(schema: Schema): string {
  const required = new Set(schema.required as string[] | undefined)
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, field]) => `${codeSpan(name)}${required.has(name) ? '' : ' (optional)'}: ${schemaText(field)}`,
  )
  return fields.length > 0 ? `object with ${fields.join('; ')}` : 'object'
}

function range({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const from = minimum ?? (exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`)
  if (from !== undefined && maximum !== undefined) return `${from} to ${number(maximum)}`
  if (from !== undefined) return typeof from === 'string' ? from : `at least ${from}`
  return maximum === undefined ? '' : `at most ${number(maximum)}`
}

function size(schema: Schema, of: 'Items' | 'Length'): string {
  const most = schema[`max${of}`]
  if (most === undefined) return ''
  return of === 'Items' ? `at most ${number(most)}` : `at most ${number(most)} characters`
}

const number = (value: unknown) => (typeof value === 'number' ? value.toLocaleString('en-US') : String(value))
