/** A tool by its name and the path of its REST route, such as `/v1/bars/{symbol}`. */
export interface Operation {
  tool: string
  template: string
}

/** What a complete URL of an operation says. */
export interface ReadRequest {
  /** The address of the server. */
  origin: string
  /** The tool's inputs in the path and the query, as text; several values of one name are separated by commas. */
  inputs: Record<string, string>
  /** `csv`, `json`, ... if the query names one. */
  format: string | null
  isDryRun: boolean
}

export function readRequest({ template }: Operation, url: string): ReadRequest {
  const [address = '', query] = url.split('?')
  const names = template.slice(1).split('/')
  const parts = address.split('/').slice(-names.length)
  const inputs: Record<string, string> = Object.fromEntries(
    names.flatMap((name, at) => (name[0] === '{' ? [[name.slice(1, -1), decodeURIComponent(parts[at]!)]] : [])),
  )
  let format: string | null = null
  let isDryRun = false
  for (const [name, value] of new URLSearchParams(query))
    if (name === 'format' || name === 'layout') format = value
    else if (name === 'dry_run') isDryRun = true
    else inputs[name] = inputs[name] ? `${inputs[name]},${value}` : value
  return { origin: address.slice(0, -1 - parts.join('/').length), inputs, format, isDryRun }
}
