import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../http/errors.ts'
import { parseJson } from '../../http/json-parser.ts'
import { dryRunSchema } from '../tools/dry-run.ts'
import { nearest } from '../tools/input/input-errors.ts'
import { placesOf } from '../tools/input/input-places.ts'
import type { JsonSchema, RegisteredTool } from '../tools/register-tool.ts'
import { MOST_DECIMALS } from './rows/round-table.ts'

type Coerce = (text: string) => unknown

/**
 * Parameters of `/v1` that control the form of the answer and never reach a tool: format and layout, precision for
 * tables, and columns for tables without such an input.
 */
export const formats = ['json', 'columns', 'csv', 'ndjson', 'parquet'] as const
export type Format = (typeof formats)[number]
export const layouts = ['objects', 'columns'] as const

export interface RestQuery {
  input: Record<string, unknown>
  format: Format | undefined
  /** Columns to keep; undefined: all. */
  columns: string[] | undefined
  /** Decimals that numbers are rounded to; undefined: no rounding. */
  precision: number | undefined
}

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * Reads the input of one tool from path parameters and query text. Text is converted to the type in the input's JSON
 * Schema; what cannot be converted stays text, so that the tool's own schema rejects it by name. Created once per tool.
 */
export function queryReader(
  entry: RegisteredTool,
): (path: Record<string, string>, query: string, headers: IncomingHttpHeaders) => RestQuery {
  const own = entry.inputSchema.properties as Record<string, JsonSchema>
  // An operation's own input of this name is the operation's.
  const properties = 'dry_run' in own ? own : { ...own, dry_run: dryRunSchema }
  const names = entry.tool.rest?.names ?? {}
  const coercions = new Map(
    Object.entries(properties).map(([input, schema]) => [
      names[input] ?? input,
      { input, coerce: coercion(schema), isList: typesOf(schema).has('array') },
    ]),
  )
  const isBody = entry.tool.kind === 'body'
  const isOpen = isBody && entry.inputSchema.additionalProperties !== false
  const isTable = entry.tool.kind === 'table'
  const projects = entry.tool.kind === 'table' && !coercions.has('columns')
  const places = placesOf(entry)
  const headerNames = [...places].filter(([, place]) => place === 'header').map(([name]) => name)
  const pathNames = new Set([...(entry.tool.rest?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
  const allowed = [...coercions.keys()]
    .filter((name) => !pathNames.has(name) && (!isBody || (places.get(name) ?? 'query') === 'query'))
    .concat(isBody ? [] : ['format', 'layout'], isTable ? ['precision'] : [], projects ? ['columns'] : [])

  const read = (into: Record<string, unknown>, name: string, text: string): void => {
    const { input, coerce, isList } = coercions.get(name)!
    const before = into[input]
    // Defaults of this surface are no lists.
    into[input] = isList && Array.isArray(before) ? before.concat(coerce(text)) : coerce(text)
  }

  return (path, query, headers) => {
    const input: Record<string, unknown> = { ...entry.tool.rest?.defaults }
    const seen = new Set<string>()
    let format: Format | undefined
    let columns: string[] | undefined
    let precision: number | undefined
    for (const [name, text] of pairsOf(query)) {
      if (seen.has(name) && !coercions.get(name)?.isList && !(projects && name === 'columns'))
        throw new AppError('invalid_parameter', `${name} is given twice. Only lists can be repeated.`, { param: name })
      seen.add(name)
      if (isBody) {
        if (allowed.includes(name)) read(input, name, text)
        else if (isOpen && !coercions.has(name)) input[name] = text
        else throw unknownParameter(name, allowed)
      } else if (name === 'format') format = oneOf(name, text, formats)
      else if (name === 'layout') format ??= oneOf(name, text, layouts) === 'columns' ? 'columns' : undefined
      else if (name === 'precision' && isTable) precision = decimals(text)
      else if (name === 'columns' && projects)
        columns = [...(columns ?? []), ...text.split(',').map((part) => part.trim())]
      else if (!allowed.includes(name)) throw unknownParameter(name, allowed)
      else read(input, name, text)
    }
    for (const name in path) read(input, name, path[name]!)
    for (const name of headerNames) {
      const text = headers[name]
      if (typeof text === 'string') read(input, name, text)
    }
    return { input, format, columns, precision }
  }
}

function decimals(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MOST_DECIMALS) return Number(text)
  throw new AppError('invalid_parameter', `precision must be a whole number from 0 to ${MOST_DECIMALS}.`, {
    param: 'precision',
  })
}

/** Names and values of a query, as URLSearchParams reads them. Most queries need no decoding and take a fast path. */
function pairsOf(query: string): Iterable<[string, string]> {
  if (/[%+]/.test(query)) return new URLSearchParams(query)
  const pairs: [string, string][] = []
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    if (pair !== '') pairs.push(equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)])
  }
  return pairs
}

function unknownParameter(name: string, allowed: string[]): AppError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  return new AppError('invalid_parameter', `Unknown parameter "${shown}". Known parameters: ${allowed.join(', ')}.`, {
    param: shown,
    allowed,
    ...nearest(name, allowed),
  })
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  if ((allowed as readonly string[]).includes(text)) return text as T
  throw new AppError('invalid_parameter', `${name} must be one of: ${allowed.join(', ')}.`, {
    param: name,
    allowed,
    ...nearest(text, allowed),
  })
}

function coercion(schema: JsonSchema): Coerce {
  const types = typesOf(schema)
  if (types.has('array')) {
    const item = coercion((schema.items ?? {}) as JsonSchema)
    return (text) => (text === '' ? [] : text.split(',').map((part) => item(part.trim())))
  }
  if (types.has('string')) return (text) => text
  if (types.has('number') || types.has('integer')) return (text) => (NUMBER.test(text) ? Number(text) : text)
  if (types.has('object')) return jsonOrText
  if (types.has('boolean')) return (text) => (text === 'true' ? true : text === 'false' ? false : text)
  return (text) => text
}

/** An object in a query is written as JSON. Throws bad_json for more than 100 levels. */
function jsonOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof AppError) throw error
    return text
  }
}

/** The JSON types that a schema accepts, through unions. Enumerations without a type are text. */
function typesOf(schema: JsonSchema): Set<unknown> {
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  return new Set([...[schema.type].flat(), ...alternatives.flatMap((one) => [...typesOf(one)])])
}
