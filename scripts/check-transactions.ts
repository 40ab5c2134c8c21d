/**
 * No network call inside a transaction. Stripe's client refuses one when it runs (server/features/billing/lease/ask-between.ts); this
 * holds what that rests on: one place makes the client, one makes the database, and a file that opens a transaction of its own
 * reaches neither Stripe's requests nor another network client.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const rules: { what: string; found: RegExp; and?: RegExp; except: RegExp }[] = [
  {
    what: 'makes a client of Stripe, which does not know of transactions',
    found: /new Stripe\(/,
    except: /^server\/(features\/billing\/stripe\/client|cli\/checks\/peers)\.ts$/,
  },
  {
    what: 'opens a database of its own, whose transactions nobody knows',
    found: /new (Kysely|KnownTransactions)\b/,
    except: /^server\/db\/database\.ts$/,
  },
  {
    what: 'opens a transaction and asks the network: use transactInLease, or ask before',
    found: /\.transaction\(\)|query\(\s*['`]begin/,
    and: /^import (?!type )[^;]*?from '(undici|nodemailer|oauth4webapi|aws4fetch|[./]*\/(stripe\/(?!require-stripe|failure)|net\/s3-bucket)[^']*)'|createGuardedFetch|[^.\w]fetch\(/m,
    except: /^server\/features\/billing\/lease\/in-lease\.ts$/,
  },
]
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file))
let wrong = 0
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  for (const { what, found, and, except } of rules) {
    if (except.test(file) || !found.test(text) || (and && !and.test(text))) continue
    console.error(`${file} ${what}`)
    wrong += 1
  }
}
console.log(`${files.length} files: no network call inside a transaction`)
process.exitCode = wrong > 0 ? 1 : 0
