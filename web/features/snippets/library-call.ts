import { type LibraryOperation, libraryOperations, pythonNames } from './library.gen.ts'
import { pythonLiteral } from './python-literal.ts'
import { type Operation, readRequest } from './read-request.ts'

const LONGEST_LINE = 80

type Inputs = [name: string, value: unknown][]
/** How the answer is asked for: rows, an object, CSV, or what the call would cost. */
type Way = 'rows' | 'value' | 'csv' | 'dry run'

/**
 * The same request through the published library, or null if that cannot make it: operations of upstreams are only in libraries of
 * their own installation, and some formats in none. `url` is complete; a `body` is the JSON of a POST.
 */
export function libraryCall(
  language: 'javascript' | 'python',
  operation: Operation,
  url: string,
  key: string,
  body?: unknown,
): string | null {
  const known = Object.hasOwn(libraryOperations, operation.tool) ? libraryOperations[operation.tool] : undefined
  const { origin, inputs, format, isDryRun } = readRequest(operation, url)
  const way = known && wayOf(known, format, isDryRun)
  if (!way) return null
  // A shared link may have chosen a body: only names that are known become code.
  const given: Inputs = Object.entries(body === undefined ? inputs : { ...inputs, ...(body as object) })
  if (!given.every(([name]) => Object.hasOwn(known.inputs, name))) return null
  const typed: Inputs = given.map(([name, value]) => [name, typedValue(known.inputs[name]!, value)])
  return language === 'javascript'
    ? javascript(operation, origin, key, typed, way)
    : python(operation, origin, key, typed, way)
}

function wayOf({ rows }: LibraryOperation, format: string | null, isDryRun: boolean): Way | null {
  if (isDryRun) return rows ? 'dry run' : null
  if (format === 'csv') return 'csv'
  if (format !== null && format !== 'json' && format !== 'columns') return null
  return rows ? 'rows' : 'value'
}

/** Text of an address as the library's type; what is not text stays as it is. */
function typedValue(type: LibraryOperation['inputs'][string], value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'strings') return value.split(',')
  if (type === 'numbers') return value.split(',').map(numberOf)
  if (type === 'number') return numberOf(value)
  return type === 'boolean' && /^(true|false)$/.test(value) ? value === 'true' : value
}

const numberOf = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

function javascript({ tool }: Operation, origin: string, key: string, inputs: Inputs, way: Way): string {
  const method = tool.replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase())
  const given = inputs.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const [result, suffix] = (
    {
      rows: ['rows', ''],
      value: ['data', ''],
      csv: ['text', '.csv()'],
      'dry run': ['credits', '.dryRun()'],
    } as const
  )[way]
  const call = (argument: string) =>
    `const { ${result} } = await finmeter.${method}(${argument})${suffix}\nconsole.log(${result})`
  return [
    '// npm install finmeter',
    'import { Finmeter } from "finmeter"',
    '',
    `const finmeter = new Finmeter({ key: "${key}", url: "${origin}" })`,
    call(
      given.length === 0
        ? ''
        : given.join(', ').length > LONGEST_LINE - 40
          ? `{\n${lines(given)}}`
          : `{ ${given.join(', ')} }`,
    ),
  ].join('\n')
}

function python({ tool, template }: Operation, origin: string, key: string, inputs: Inputs, way: Way): string {
  // What the path needs comes first, without its name.
  const given = inputs.map(([name, value]) =>
    template.includes(`{${name}}`) ? pythonLiteral(value) : `${pythonNames[name] ?? name}=${pythonLiteral(value)}`,
  )
  const suffix = { rows: '.df()', value: '.data', csv: '.csv().content.decode()', 'dry run': '.dry_run().credits' }[way]
  const argument = given.join(', ').length > LONGEST_LINE - 40 ? `\n${lines(given)}` : given.join(', ')
  return [
    `# pip install ${way === 'rows' ? '"finmeter[pandas]"' : 'finmeter'}`,
    'from finmeter import Finmeter',
    '',
    `finmeter = Finmeter("${key}", "${origin}")`,
    `print(finmeter.${tool}(${argument})${suffix})`,
  ].join('\n')
}

const lines = (given: string[]) => given.map((one) => `  ${one},\n`).join('')
