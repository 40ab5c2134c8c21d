import { expect, test } from 'vitest'
import { operatorRoutes } from '#contract/operator/routes.ts'
import { runCommand } from '../testing/run-admin.ts'

/** Without settings: none of this may need a database. */
const run = (command: string, ...words: string[]) => runCommand(command, words, { NODE_ENV: 'test' })

test.each([
  ['admin', 'npm run admin -- find <text>'],
  ['backup', 'npm run backup -- [--to <folder>] [--keep <number>]'],
  ['billing', 'npm run billing -- reconcile       compares with Stripe'],
  ['data', 'npm run data -- validate <manifest.yaml>'],
  ['doctor', 'npm run doctor [-- --production]'],
  ['migrate', 'npm run migrate'],
  ['restore', 'npm run restore -- <backup>'],
  ['shop', 'npm run shop -- apply <shop.yaml>'],
  ['upstream', 'npm run upstream -- add <document>'],
])('%s --help says how it is used; an unknown option is named', async (command, usage) => {
  const [help, unknown] = await Promise.all([run(command, '--help'), run(command, '--colour')])
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out.startsWith(usage)).toBe(true)
  expect([unknown.code, unknown.out]).toEqual([2, ''])
  expect(unknown.err).toMatch(/^Unknown option '--colour'\.\n\nnpm run /)
})

/** Acts of the business are in the console, too. What it lacks is here on purpose: a console that is broken into must not reach it. */
const inConsole: Record<string, string> = {
  find: 'GET /operator/api/search',
  list: 'GET /operator/api/customers',
  suspend: 'POST /operator/api/customers/{id}/suspend',
  resume: 'POST /operator/api/customers/{id}/resume',
  grant: 'POST /operator/api/customers/{id}/grants',
  void: 'POST /operator/api/customers/{id}/take-backs',
  plan: 'POST /operator/api/customers/{id}/plan',
  limits: 'POST /operator/api/customers/{id}/limits',
  note: 'POST /operator/api/customers/{id}/notes',
  view: 'POST /operator/api/customers/{id}/views',
  'end-sessions': 'POST /operator/api/customers/{id}/end-sessions',
  resend: 'POST /operator/api/customers/{id}/invitations/{invitation}/resend',
  export: 'POST /operator/api/customers/{id}/export',
  delete: 'POST /operator/api/customers/{id}/delete',
  invoices: 'GET /operator/api/customers/{id}/invoices',
  payments: 'GET /operator/api/payments',
  webhooks: 'GET /operator/api/delivery/{channel}',
  failing: 'GET /operator/api/failing-calls',
  call: 'GET /operator/api/receipts/{id}',
  operator: 'POST /operator/api/operators',
}
const onlyHere = ['buckets', 'loadtest', 'meter-key', 'rotate-secret', 'service-key', 'signing-keys']

test('each act of the command line is in the console, or is one of the few that stay here', async () => {
  const { out } = await run('admin', '--help')
  const named = [...out.matchAll(/^npm run admin -- ([a-z-]+)/gm)].map(([, act]) => act)
  expect(named.toSorted()).toEqual([...Object.keys(inConsole), ...onlyHere].toSorted())
  const served = Object.values(operatorRoutes).map(({ method, path }) => `${method} ${path}`)
  expect(Object.values(inConsole).filter((line) => !served.includes(line))).toEqual([])
  const beyond = /migrat|restore|backup|rotate|signing|service-key|meter-key|bucket|loadtest|forget-factor/
  expect(served.filter((line) => beyond.test(line))).toEqual([])
})

test('settings that are not valid are a message, not a stack trace', async () => {
  const { code, err } = await runCommand('data', ['list'], { NODE_ENV: 'test', PORT: 'many' })
  expect([code, err]).toEqual([1, expect.stringMatching(/^The configuration is not valid:\n {2}PORT[^\n]*\n$/)])
})

test('an act that is only a property of every object, and an option without its value, are refused, too', async () => {
  const [inherited, bare] = await Promise.all([run('admin', 'constructor'), run('backup', '--to')])
  expect([inherited.code, inherited.err.split('\n')[0]]).toEqual([2, 'There is no constructor here.'])
  expect([bare.code, bare.err.split('\n')[0]]).toEqual([2, "Option '--to <value>' argument missing."])
})
