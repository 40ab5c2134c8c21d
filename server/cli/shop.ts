/** How this installation names itself: npm run shop -- <act> ... */

import { runFromCommandLine } from '../features/operator/console/run-act.ts'
import { applyShop, undoShop } from '../features/shop/apply.ts'
import { builtinNames } from '../features/shop/builtins.ts'
import { confirmSender, sendSenderCode } from '../features/shop/confirm-sender.ts'
import { exportShop, showShop } from '../features/shop/export-shop.ts'
import { readShopFile } from '../features/shop/read-shop-file.ts'
import { describeIssues } from '../http/describe-issues.ts'
import { toolGroups } from '../product-tools.ts'
import { type Connection, runCommand } from './connect.ts'
import { print, printText } from './print.ts'
import { chooseAct, readWords, refuseWords } from './read-words.ts'

const usage = `npm run shop -- apply <shop.yaml>    checks the file and what it names, and serves it as the next version
npm run shop -- show                 the shop that is served
npm run shop -- confirm <code>       lets mails come from the new sender, which has received the code
npm run shop -- undo                 serves again what was served before
npm run shop -- export <folder>      writes the shop that is served as shop.yaml, with its logos and pages
Changes are in the operators' log, with --reason <text> if you give one.`

const { words, values } = readWords(usage, { reason: { type: 'string' } })
const [act, subject, ...rest] = words
describeIssues()

const acts: Record<
  string,
  { takes: boolean; run: (connection: Connection, subject: string) => Promise<void> } | undefined
> = {
  apply: {
    takes: true,
    async run({ db, config, secrets }, path) {
      const prepared = await readShopFile(path, builtinNames(toolGroups))
      const { stored } = prepared
      const sendsMail = config.SMTP_URL !== undefined || config.sandbox
      let sent = false
      const version = await runFromCommandLine(
        db.kysely,
        { ...values, action: 'shop.applied' },
        (tx) =>
          applyShop(tx, prepared, async () => {
            if (sendsMail) sent = await sendSenderCode(tx, { secrets, publicUrl: config.PUBLIC_URL }, stored)
          }),
        (applied) => ({ version: applied }),
      )
      print(`Version ${version} is applied: running servers serve it within two seconds.`)
      if (sent)
        print(`${stored.sender} gets a code. Until npm run shop -- confirm <code>, mails come from the address before.`)
      if (stored.sender !== undefined && !sendsMail) print('There is no mail server (SMTP_URL), so no mail is sent.')
    },
  },
  show: {
    takes: false,
    async run({ db }) {
      const { version, createdAt, text, files, waits } = await showShop(db.kysely)
      print(`Version ${version}, applied ${createdAt.toISOString()}`)
      printText(text)
      if (waits) print('Its sender is not confirmed yet: mails come from the address before.')
      if (files.length > 0) print(`It has files, too, which export writes: ${files.join(', ')}`)
    },
  },
  confirm: {
    takes: true,
    async run({ db }, code) {
      const act = { ...values, action: 'shop.sender_confirmed' }
      const confirm = (tx: Connection['db']['kysely']) => confirmSender(tx, code)
      const sender = await runFromCommandLine(db.kysely, act, confirm, (confirmed) => ({ sender: confirmed }))
      print(`Mails come from ${sender} now.`)
    },
  },
  undo: {
    takes: false,
    async run({ db }) {
      const act = { ...values, action: 'shop.undone' }
      const version = await runFromCommandLine(db.kysely, act, undoShop, (served) => ({ version: served }))
      print(version === null ? 'This installation is unnamed again.' : `Version ${version} is served again.`)
    },
  },
  export: {
    takes: true,
    async run({ db }, folder) {
      print(...(await exportShop(db.kysely, folder)))
    },
  },
}

const chosen = chooseAct(acts, act, usage)
if (rest.length > 0 || chosen.takes !== (subject !== undefined)) refuseWords(usage)
await runCommand((connection) => chosen.run(connection, subject ?? ''))
