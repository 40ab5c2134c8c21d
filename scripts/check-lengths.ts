/** File lengths: hard limit 400 lines, median under 80; and the size of the Stripe sandbox. Generated files aside. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const HARD_LIMIT = 400
const MEDIAN_LIMIT = 80
/** Decisions 0060 and 0138: the lines of the Stripe sandbox, without its tests and the contract. */
const SANDBOX_LIMIT = 6_400

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.sql', '*.css'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file && !/\.gen\.ts$|\/fixtures\//.test(file))
const lengths = files
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
  .sort((a, b) => a.lines - b.lines)
const tooLong = lengths.filter(({ lines }) => lines > HARD_LIMIT)
const median = lengths[Math.floor(lengths.length / 2)]?.lines ?? 0
for (const { file, lines } of tooLong) console.error(`${file}: ${lines} lines, the limit is ${HARD_LIMIT}`)
if (median >= MEDIAN_LIMIT) console.error(`the median is ${median} lines, it must stay under ${MEDIAN_LIMIT}`)
const sandbox = lengths
  .filter(({ file }) => /^sandbox\/stripe\/.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file))
  .reduce((sum, { lines }) => sum + lines, 0)
if (sandbox > SANDBOX_LIMIT)
  console.error(
    `sandbox/stripe has ${sandbox} lines, the limit is ${SANDBOX_LIMIT}: see docs/decisions/0138-sandbox-taxes.md`,
  )
console.log(`${files.length} files, median ${median}, longest ${lengths.at(-1)?.lines}, Stripe sandbox ${sandbox}`)
process.exitCode = tooLong.length > 0 || median >= MEDIAN_LIMIT || sandbox > SANDBOX_LIMIT ? 1 : 0
