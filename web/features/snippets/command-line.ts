/** A tool by its name and the path of its REST route, such as `/v1/bars/{symbol}`. */
export interface Operation {
  tool: string
  template: string
}

/** Text that means itself in sh, PowerShell and cmd, and that no program takes for an option. */
const PLAIN = /^[\w.][\w.,:/-]*$/

/** The same request as a call of the program `finmeter`. `url` is complete; a `body` is the JSON of a POST. */
export function commandLine(
  { tool, template }: Operation,
  url: string,
  key: string,
  body: unknown,
  quoted: (value: unknown) => string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const [address = '', query] = url.split('?')
  const names = template.slice(1).split('/')
  const parts = address.split('/').slice(-names.length)
  const inputs = Object.fromEntries(
    names.flatMap((name, at) => (name[0] === '{' ? [[name.slice(1, -1), decodeURIComponent(parts[at]!)]] : [])),
  )
  const options = [`--url ${address.slice(0, -1 - parts.join('/').length)}`, `--api-key ${key}`]
  for (const [name, value] of new URLSearchParams(query))
    if (name === 'format' || name === 'layout') options.unshift(value === 'csv' ? '--csv' : '--json')
    else if (name === 'dry_run') options.unshift('--dry-run')
    else inputs[name] = inputs[name] ? `${inputs[name]},${value}` : value
  Object.assign(inputs, headers)
  const all = Object.entries(inputs)
  // A body that is no object is one input of its own.
  const inBody = isObject(body) ? body : body === undefined ? {} : { body }
  const given =
    body === undefined && all.every(([, value]) => PLAIN.test(value))
      ? all.map(([name, value]) => `--${name} ${value}`).join(' ')
      : `--input '${quoted({ ...inputs, ...inBody })}'`
  return [`npx finmeter tools call ${tool}`, given, options.join(' ')].filter(Boolean).join(' \\\n  ')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
