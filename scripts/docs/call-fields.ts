import { Marked } from 'marked'
import type { Tool } from '../../server/features/tools/define-tool.ts'
import { placesOf } from '../../server/features/tools/input/input-places.ts'
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import { type JsonSchema, type RegisteredTool, withDefaults } from '../../server/features/tools/register-tool.ts'
import type { CallField, DocsCall } from '../../web/docs/page.ts'
import type { FieldKind } from '../../web/docs/try/build-call.ts'
import { schemaText } from './schema-text.ts'

const marked = new Marked()

/** A tool's REST call as a form, filled with its example, what it needs first; null without an example. */
export function docsCall({ tool, inputSchema }: RegisteredTool): DocsCall | null {
  if (!tool.rest || !tool.example) return null
  const schema = withDefaults(inputSchema, tool.rest.defaults)
  const required = new Set(schema.required as string[] | undefined)
  const places = placesOf({ tool })
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([input, field]): CallField => {
      const name = tool.rest!.names?.[input] ?? input
      const kind = kindOf(field)
      return {
        name,
        place: places.get(name) ?? 'query',
        kind,
        isRequired: required.has(input) && field.default === undefined,
        choices: choicesOf(field),
        fallback: field.default === undefined ? null : valueText(field.default, kind),
        example: tool.example![input] === undefined ? '' : valueText(tool.example![input], kind),
        aboutHtml: marked.parseInline(aboutText(field), { async: false }),
      }
    },
  )
  const { method, path, bodyInput } = tool.rest
  const rank = ({ isRequired, example }: CallField) => (isRequired ? 0 : example === '' ? 2 : 1)
  fields.sort((a, b) => rank(a) - rank(b))
  return {
    tool: tool.name,
    method,
    path,
    ...(bodyInput !== undefined && { bodyInput }),
    fields,
    price: priceLine(tool),
    isOpen: tool.upstream === undefined,
  }
}

function priceLine({ credits, kind }: Tool): string {
  if (credits.credits === 0) return 'Free'
  return `With your key: ${priceText(credits)}${kind === 'table' ? '; free without rows' : ''}`
}

/** The description of a field, and the values that it accepts. */
export const aboutText = (field: JsonSchema): string => {
  const accepted = schemaText(field)
  return [field.description, `${accepted.charAt(0).toUpperCase()}${accepted.slice(1)}.`].filter(Boolean).join('. ')
}

function kindOf(field: JsonSchema): FieldKind {
  if (choicesOf(field)) return field.type === 'boolean' ? 'boolean' : 'choice'
  if (field.type === 'integer' || field.type === 'number') return 'number'
  if (field.type === 'string') return field.format === 'date' ? 'date' : 'text'
  const { type } = (field.items ?? {}) as JsonSchema
  if (field.type !== 'array' || type === 'object') return 'json'
  return type === 'number' || type === 'integer' ? 'numbers' : 'list'
}

const choicesOf = ({ type, enum: named }: JsonSchema): string[] | null =>
  type === 'boolean'
    ? ['true', 'false']
    : Array.isArray(named) && named.every((one) => typeof one === 'string')
      ? named
      : null

const valueText = (value: unknown, kind: FieldKind): string =>
  kind === 'json' ? JSON.stringify(value) : Array.isArray(value) ? value.join(',') : String(value)
