import { type Operation, readRequest } from './read-request.ts'

/** Text that means itself in sh, PowerShell and cmd, and that no program takes for an option. */
const PLAIN = /^[\w.][\w.,:/-]*$/

/** The same request as a call of the program `finmeter`. `url` is complete; a `body` is the JSON of a POST. */
export function commandLine(
  operation: Operation,
  url: string,
  key: string,
  body: unknown,
  quoted: (value: unknown) => string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { origin, inputs, format, isDryRun } = readRequest(operation, url)
  const options = [`--url ${origin}`, `--api-key ${key}`]
  if (format !== null) options.unshift(format === 'csv' ? '--csv' : '--json')
  if (isDryRun) options.unshift('--dry-run')
  Object.assign(inputs, headers)
  const all = Object.entries(inputs)
  // A body that is no object is one input of its own.
  const inBody = isObject(body) ? body : body === undefined ? {} : { body }
  const given =
    body === undefined && all.every(([, value]) => PLAIN.test(value))
      ? all.map(([name, value]) => `--${name} ${value}`).join(' ')
      : `--input '${quoted({ ...inputs, ...inBody })}'`
  return [`npx finmeter tools call ${operation.tool}`, given, options.join(' ')].filter(Boolean).join(' \\\n  ')
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
