/** One operation of the API, as the generated code describes it. */
export interface Operation {
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** `/v1/bars/{symbol}` */
  readonly path: string
  /** The most rows that one answer has, where `limit` counts rows and a cursor continues. */
  readonly pageRows?: number
}

/** An operation that returns rows. The type parameters exist only for the compiler. */
export interface TableOperation<Input, Row> extends Operation {
  readonly kind: 'table'
  readonly types?: (input: Input) => Row
}

/** An operation that returns one object. */
export interface ValueOperation<Input, Value> extends Operation {
  readonly kind: 'value'
  readonly types?: (input: Input) => Value
}

export type Input = Readonly<Record<string, unknown>>

/** Where and what to send: `input` fills the path, then the query (GET) or the body (POST). */
export function requestOf(base: string, { method, path, name }: Operation, input: Input, query: Input) {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const value = rest[part]
    delete rest[part]
    if (value === undefined || value === '') throw new TypeError(`${name}: ${part} is required.`)
    return encodeURIComponent(String(value))
  })
  const url = new URL(base.replace(/\/+$/, '') + filled)
  for (const [key, value] of Object.entries(method === 'GET' ? { ...rest, ...query } : query))
    if (value !== undefined) url.searchParams.set(key, String(value))
  return { url, method, body: method === 'POST' ? JSON.stringify(rest) : null }
}
