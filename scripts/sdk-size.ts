/** The TypeScript client, bundled, minified and compressed: all of it, and with a single operation. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const source = join(import.meta.dirname, '../sdk/typescript/src')
const KIB = 1024

async function bundle(code: string): Promise<string> {
  const build = await rolldown({
    input: 'entry',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) => (id === 'entry' ? { code, moduleSideEffects: true } : null),
      },
    ],
    treeshake: { moduleSideEffects: false },
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  return output[0].code
}

const whole = await bundle(`export { Finmeter, FinmeterError } from '${source}/finmeter.gen.ts'`)
const one = await bundle(
  `import { Client } from '${source}/finmeter.gen.ts'\nimport { getQuote } from '${source}/operations.gen.ts'\nexport const quote = (key, symbols) => new Client({ key }).table(getQuote, { symbols })`,
)
const problems: string[] = []
for (const [name, code, kib] of [
  ['everything', whole, 4],
  ['one operation', one, 3],
] as const) {
  const bytes = gzipSync(code, { level: 9 }).length
  console.log(`${name}: ${(bytes / KIB).toFixed(2)} of ${kib} KiB gzip`)
  if (bytes > kib * KIB) problems.push(`${name} is larger than ${kib} KiB.`)
}
if (!one.includes('/v1/quotes')) problems.push('The bundle with one operation lacks it.')
if (one.includes('/v1/bars')) problems.push('A bundle with one operation contains others.')
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
