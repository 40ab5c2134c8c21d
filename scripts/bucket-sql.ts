/** Whether SQL of buckets has only forms that Citus takes: docs/decisions/0092-buckets.md. Texts are by file name. */

type Texts = Record<string, string>

const refused: [form: RegExp, what: string][] = [
  [/\bctid\b/, 'uses ctid: a row has another one on another node, so name its key'],
  [
    /\bcreate (or replace )?(constraint )?trigger\b|\breturns trigger\b/,
    'has a trigger: do its work in the functions that write the table',
  ],
  [/\bapp_clock\b/, 'reads the test clock: call app_now()'],
]

/** Problems of the migrations and functions of a bucket, a sentence each. */
export function bucketProblems(files: Texts): string[] {
  const texts = Object.entries(files).map(([file, text]): [string, string] => [file, plain(text)])
  const tables = texts.flatMap(([, text]) => [...text.matchAll(/\bcreate table (\w+)/g)].map(([, name]) => name!))
  const functions = functionNames(files)
  return texts.flatMap(([file, text]) => [
    ...refused.filter(([form]) => form.test(text)).map(([, what]) => `${file} ${what}`),
    ...[...text.matchAll(/\breferences ([\w.]+)/g)]
      .filter(([, name]) => !tables.includes(name!))
      .map(([, name]) => `${file} has a foreign key to ${name}, which is not in the bucket`),
    ...lists(text, /\bvalues\s*(?=\()/g)
      .filter((list) => /\bselect\b/.test(list))
      .map(() => `${file} has a sub-select in VALUES: compute it into a variable first`),
    ...text
      .split(';')
      .flatMap((statement) => callsIn(statement, functions).map((call) => ({ ...call, statement })))
      .filter(({ name, statement }) => new RegExp(`\\bfrom (?!${name}\\()`).test(statement))
      .map(({ name }) => overColumn(file, name)),
  ])
}

/** Problems of statements in TypeScript that call functions of a bucket, which may take only values. */
export const callProblems = (sources: Texts, functions: string[]): string[] =>
  Object.entries(sources).flatMap(([file, source]) =>
    callsIn(source, functions)
      .filter(({ given }) => /[a-z_]/.test(valuesOut(given)))
      .map(({ name }) => overColumn(file, name)),
  )

/** The functions that files define. */
export const functionNames = (files: Texts): string[] =>
  Object.values(files).flatMap((text) =>
    [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, name]) => name!),
  )

const overColumn = (file: string, name: string): string =>
  `${file} calls ${name} over rows of a query: read the values first, then call it with each`

const plain = (text: string): string => text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').toLowerCase()

/** Calls, with their arguments; not definitions. */
const callsIn = (text: string, functions: string[]): { name: string; given: string }[] =>
  functions.flatMap((name) =>
    lists(text, new RegExp(`(?<!function )(?<![\\w.])${name}(?=\\()`, 'g')).map((given) => ({ name, given })),
  )

/** The contents of the parentheses that follow each match. */
const lists = (text: string, before: RegExp): string[] =>
  [...text.matchAll(before)].map(({ 0: found, index }) => {
    const start = index + found.length
    let depth = 0
    let end = start
    do {
      if ('([{'.includes(text[end]!)) depth += 1
      if (')]}'.includes(text[end]!)) depth -= 1
      end += 1
    } while (depth > 0 && end < text.length)
    return text.slice(start + 1, end - 1)
  })

/** Arguments without parameters, literals, casts and the time. */
const valuesOut = (given: string): string =>
  given
    .replace(/\$\{[^}]*\}|\$\d+/g, '')
    .replace(/'[^']*'/g, '')
    .replace(/::\w+(\[\])?/g, '')
    .replace(/\bapp_now\(\)|\b(null|true|false|interval)\b/g, '')
