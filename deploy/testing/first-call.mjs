/**
 * Runs in the empty root beside the product: migrates, starts it by the image's command, makes an account and its first
 * charged call, backs it up and tries the backup, and prints what it saw as one line of JSON. COMMAND and HEALTH are the image's, as JSON.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'

const [command, health] = [JSON.parse(process.env.COMMAND), JSON.parse(process.env.HEALTH)]
const node = command[0]
const base = `http://127.0.0.1:${process.env.PORT}`
const said = (...words) => {
  const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}`.trim() }
}
const failure = (act) => {
  try {
    act()
    return null
  } catch (error) {
    return error.code
  }
}

const seen = {
  uid: process.getuid(),
  root: readdirSync('/').sort(),
  npm: ['/usr/local/bin/npm', '/usr/bin/npm', '/bin/sh', '/app/node_modules', '/app/build/node_modules'].filter(
    existsSync,
  ),
  writeToApp: failure(() => writeFileSync('/app/build/x', '')),
  beforeStart: said(...health).code,
  migrate: said(node, 'build/migrate.js'),
}
const server = spawn(node, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
let output = ''
const ended = new Promise((done) => server.on('close', done))
await new Promise((done, failed) => {
  const hear = (part) => {
    output += part
    if (/^Finmeter ready at .*$/m.test(output)) done()
  }
  server.stdout.on('data', hear)
  server.stderr.on('data', hear)
  server.on('close', () => failed(new Error(output)))
})
seen.health = said(...health)
seen.doctor = said(node, 'build/doctor.js')
seen.data = said(node, 'build/data.js', 'list')
seen.billing = said(node, 'build/billing.js', 'events')
seen.usage = said(node, 'build/admin.js')
const account = said(node, 'build/admin.js', 'loadtest', '--credits', '500')
const key = account.text.split('\n').at(-1)
const answer = await fetch(`${base}/v1/bars/AAPL?range=1mo`, { headers: { authorization: `Bearer ${key}` } })
seen.call = {
  status: answer.status,
  charged: answer.headers.get('x-credits-charged'),
  remaining: answer.headers.get('x-credits-remaining'),
  receipt: answer.headers.get('x-receipt-id'),
}
seen.pages = {}
for (const path of [
  '/',
  '/docs',
  '/docs/pricing',
  '/demo',
  '/sell',
  '/legal/terms',
  '/llms.txt',
  '/openapi.json',
  '/docs/getting-started.md',
]) {
  const page = await fetch(base + path)
  seen.pages[path] = [page.status, page.headers.get('content-type'), (await page.text()).length > 1000]
}
const metrics = await fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/metrics`)
seen.settled = /^finmeter_meter_settled_calls_total (\d+)$/m.exec(await metrics.text())?.[1]
seen.backup = said(node, 'build/backup.js')
seen.drill = said(node, 'build/restore.js', '--drill', '/data/backups')
server.kill('SIGTERM')
seen.code = await ended
seen.output = output.trim().split('\n')
console.log(JSON.stringify(seen))
