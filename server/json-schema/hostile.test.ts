import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createValidator, type Verdict } from './create-validator.ts'
import type { JsonSchema } from './node.ts'

const RUNS = process.env.NIGHTLY ? 100_000 : 1_000
/** A limit, not a pace: a verdict takes up to 50 ms on a slow machine. Work that steps do not count, as an expression over a long text, takes seconds. */
const MOST_MS = 500

const { oneof, constantFrom, integer, array, record } = fc
const name = constantFrom('a', 'b', 'c')
const part = integer({ min: 0, max: 5 })
const reference = oneof(
  part.map((to) => ({ $ref: `root#/$defs/p${to}` })),
  part.map((to) => ({ $ref: `r${to}` })),
  part.map(() => ({ $dynamicRef: '#x' })),
  fc.constant({ $ref: '#' }),
)
const plain = constantFrom<JsonSchema | boolean>(
  true,
  false,
  { type: 'object' },
  { type: ['string', 'null'] },
  { minimum: 5 },
  { required: ['a'] },
  { format: 'uri-reference' },
  { format: 'regex' },
  { format: 'url' },
  { minLength: 3 },
  { enum: [{ a: {} }, [1], 'x'] },
)

/** Recursive, overlapping and wide on purpose: each part may lead to each other, at the same value or within it. */
const { schema } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
  const one = oneof({ weight: 3, arbitrary: reference }, { weight: 1, arbitrary: tie('schema') })
  const branches = oneof(
    array(one, { minLength: 1, maxLength: 4 }),
    fc.tuple(one, integer({ min: 2, max: 40 })).map(([same, times]) => Array(times).fill(same)),
  )
  const map = fc.dictionary(name, one, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  return {
    schema: oneof(
      { maxDepth: 3 },
      plain,
      record(
        {
          anyOf: branches,
          oneOf: branches,
          allOf: branches,
          not: one,
          if: one,
          else: one,
          properties: map,
          additionalProperties: one,
          propertyNames: one,
          dependentSchemas: map,
          items: one,
          prefixItems: branches,
          contains: one,
          minContains: part,
          unevaluatedProperties: one,
          unevaluatedItems: one,
        },
        { requiredKeys: [] },
      ).chain((all) => fc.shuffledSubarray(Object.keys(all)).map((keys) => chosen(all, keys.slice(0, 3)))),
    ),
  }
})
const chosen = (all: object, keys: string[]): JsonSchema =>
  Object.fromEntries(keys.map((key) => [key, Reflect.get(all, key)]))

const document = fc
  .tuple(schema, array(schema, { minLength: 6, maxLength: 6 }), array(schema, { minLength: 6, maxLength: 6 }))
  .map(
    ([root, parts, resources]): JsonSchema => ({
      ...(root === true || root === false ? { not: root } : root),
      $id: 'root',
      $dynamicAnchor: 'x',
      $defs: {
        ...Object.fromEntries(parts.map((one, at) => [`p${at}`, one])),
        ...Object.fromEntries(resources.map((one, at) => [at, { $id: `r${at}`, $dynamicAnchor: 'x', allOf: [one] }])),
      },
    }),
  )

/** At most what a body may have: 256 KB. */
const leaf = oneof(
  constantFrom<unknown>(null, true, 7, '', 'x'),
  constantFrom(':', 'a-', '((', '%41', '💥').chain((text) =>
    integer({ min: 0, max: 60_000 }).map((times) => `http://${text.repeat(times)}`),
  ),
)
const value = oneof(
  leaf,
  fc.tuple(integer({ min: 1, max: 20_000 }), leaf).map(([levels, inner]) => deep(levels, inner)),
  fc
    .tuple(integer({ min: 1, max: 20_000 }), constantFrom<unknown>(0, {}, [], 'x'))
    .map(([count, one]) => wide(count, one)),
  integer({ min: 1, max: 60_000 }).map((count) => Array(count).fill(1)),
  integer({ min: 1, max: 20_000 }).map((count) => Array.from({ length: count }, () => ({ a: {} }))),
  fc.tuple(integer({ min: 1, max: 14 }), leaf).map(([levels, inner]) => bushy(levels, inner)),
)
function deep(levels: number, inner: unknown): unknown {
  let made = inner
  for (let level = 0; level < levels; level++) made = level % 3 === 0 ? [made] : { [level % 2 ? 'a' : 'b']: made }
  return made
}
const wide = (count: number, one: unknown): unknown =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [at < 3 ? 'abc'[at]! : `k${at}`, one]))
function bushy(levels: number, inner: unknown): unknown {
  let made = inner
  for (let level = 0; level < levels; level++) made = { a: made, b: made }
  return made
}

const cpuMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

test(
  'hostile schemas and values: a verdict each, and steps count the work',
  () => {
    const outcomes: Record<Verdict['outcome'], number> = { valid: 0, invalid: 0, over: 0 }
    const slow: string[] = []
    fc.assert(
      fc.property(document, value, (made, one) => {
        const { check, validate } = createValidator(made)
        try {
          check()
        } catch (error) {
          // Publishing refuses what is too large, or takes too long to read.
          expect(['its references are too long', 'it has more than 100000 values']).toContain((error as Error).message)
          return
        }
        const before = process.threadCpuUsage()
        const verdict = validate(one)
        const ms = cpuMs(before)
        outcomes[verdict.outcome]++
        if (ms > MOST_MS) slow.push(`${Math.round(ms)} ms: ${JSON.stringify(made).slice(0, 2_000)}`)
      }),
      { numRuns: RUNS },
    )
    expect(slow).toEqual([])
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(RUNS / 100)
  },
  process.env.NIGHTLY ? 3_600_000 : 180_000,
)

test('what is remembered changes no verdict', () => {
  const small = oneof(
    leaf,
    integer({ min: 1, max: 6 }).map((levels) => deep(levels, 1)),
    integer({ min: 1, max: 5 }).map((count) => wide(count, {})),
    integer({ min: 1, max: 3 }).map((levels) => bushy(levels, 'x')),
  )
  let decided = 0
  fc.assert(
    fc.property(document, small, (made, one) => {
      const { validate } = createValidator(made)
      const [with_, without] = [0, Number.POSITIVE_INFINITY].map((rememberedFrom) =>
        validate(one, { rememberedFrom, steps: 20_000 }),
      )
      if (with_!.outcome === 'over' || without!.outcome === 'over') return
      decided++
      expect({ ...with_, steps: 0 }).toEqual({ ...without, steps: 0 })
    }),
    { numRuns: 700 },
  )
  expect(decided).toBeGreaterThan(500)
})
