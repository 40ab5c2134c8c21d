import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { createValidator } from './create-validator.ts'
import type { JsonSchema } from './node.ts'

interface Group {
  description: string
  schema: JsonSchema | boolean
  tests: { description: string; data: unknown; valid: boolean }[]
}
const packed = readFileSync(join(import.meta.dirname, 'fixtures/json-schema-test-suite.json.br'))
const suite = JSON.parse(brotliDecompressSync(packed).toString()) as {
  tests: Record<string, Group[]>
  remotes: Record<string, JsonSchema | boolean>
}

/** Stands alone, with the documents that it refers to as parts. */
function bundled(file: string, schema: JsonSchema | boolean): JsonSchema | boolean {
  if (typeof schema === 'boolean') return schema
  const isDraft7 = file.startsWith('draft7')
  const needed = Object.entries(suite.remotes).filter(([url]) => isDraft7 === !url.includes('draft2020-12'))
  const parts = needed.map(([url, remote]) => [url, typeof remote === 'boolean' ? remote : { $id: url, ...remote }])
  const keyword = isDraft7 ? 'definitions' : '$defs'
  return {
    ...(isDraft7 && { $schema: 'http://json-schema.org/draft-07/schema#' }),
    ...schema,
    ...(JSON.stringify(schema).includes('"$ref"') && {
      [keyword]: { ...Object.fromEntries(parts), ...(schema[keyword] as object) },
    }),
  }
}

/** Rules that are left for the upstream, and what is different on purpose. */
const LEFT_TO_UPSTREAM = /"(pattern|patternProperties|uniqueItems)":/
const DIFFERENT = new Set([
  // Formats are checked, as they always were.
  'draft2020-12/format',
  // Vocabularies would be documents elsewhere.
  'schema that uses custom metaschema with with no validation vocabulary',
  // What refers to the description of schemas itself is not checked.
  'validate definition against metaschema',
  'remote ref, containing refs itself',
  // Rules beside a reference count in draft-07, too: people who write them mean them.
  'ref overrides any sibling keywords',
  '$ref prevents a sibling $id from changing the base uri',
  // A document is known by its own $id, never by a second address as well.
  'remote HTTP ref with different $id',
  'remote HTTP ref with different URN $id',
])

const groups = Object.entries(suite.tests).flatMap(([file, all]) => all.map((group) => ({ file, ...group })))
const required = groups.filter(
  ({ file, schema, description }) =>
    !file.includes('optional') &&
    !LEFT_TO_UPSTREAM.test(JSON.stringify(schema)) &&
    !DIFFERENT.has(file) &&
    !DIFFERENT.has(description),
)

test('the official tests of 2020-12 and draft-07 pass, but for what is different on purpose', () => {
  const wrong = required.flatMap(({ file, description, schema, tests }) => {
    const { validate } = createValidator(bundled(file, schema))
    return tests
      .filter(({ data, valid }) => validate(data).outcome !== (valid ? 'valid' : 'invalid'))
      .map((one) => `${file}: ${description}: ${one.description}`)
  })
  expect(wrong).toEqual([])
  const count = required.reduce((sum, { tests }) => sum + tests.length, 0)
  const all = groups.filter(({ file }) => !file.includes('optional')).reduce((sum, { tests }) => sum + tests.length, 0)
  expect([count, all]).toEqual([1_799, 2_226])
})

test('every schema of the suite can be published, but for an empty enum', () => {
  const refused = required.flatMap(({ file, description, schema }) => {
    try {
      createValidator(bundled(file, schema)).check()
      return []
    } catch (error) {
      return [`${file}: ${description}: ${(error as Error).message}`]
    }
  })
  expect(refused).toEqual(['draft2020-12/enum: empty enum: enum must be a list of values'])
})

test('rules that are left for the upstream never refuse a value', () => {
  const wrong = groups
    .filter(({ file, schema }) => !file.includes('optional') && LEFT_TO_UPSTREAM.test(JSON.stringify(schema)))
    .flatMap(({ file, description, schema, tests }) => {
      const { validate } = createValidator(bundled(file, schema))
      return tests
        .filter(({ data, valid }) => valid && validate(data).outcome !== 'valid')
        .map((one) => `${file}: ${description}: ${one.description}`)
    })
  expect(wrong).toEqual([])
})

test('formats say what those of the library say', () => {
  const ajv = new Ajv({ strict: false, logger: false })
  formats.default(ajv)
  const differ = groups
    .filter(({ file }) => file.includes('optional/format/'))
    .flatMap(({ file, description, schema, tests }) => {
      const { format } = schema as { format: string }
      const ours = createValidator({ format })
      const theirs = ajv.compile({ format })
      return tests
        .filter(({ data }) => (ours.validate(data).outcome === 'valid') !== theirs(data))
        .map((one) => `${file}: ${description}: ${one.description}`)
    })
  expect(differ).toEqual([])
})
