/**
 * A process that charges calls, again and again, until it is killed, and writes their receipts to a file: what a pipe cannot take yet
 * would be lost with the process.
 */
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../config/config.ts'
import { openDatabase } from '../../../db/database.ts'
import { createListener } from '../../../db/listen.ts'
import { createLog } from '../../../log.ts'
import { createMeter } from '../create-meter.ts'
import { memoryLimiter } from '../rate-limiter.ts'

const [url = '', dir = '', accountId, bucket, keyId] = process.argv.slice(2)
const call = {
  accountId: Number(accountId),
  bucket: Number(bucket),
  keyId: Number(keyId),
  toolId: 1,
  credits: 1,
  status: 'success' as const,
  durationMs: 1,
}
const log = createLog({ LOG_LEVEL: 'silent' })
const config = loadConfig({ NODE_ENV: 'test', FINMETER_DATA_DIR: dir, KEYS_SECRET: 'ab'.repeat(32) })
const db = openDatabase(url, 4, () => {})
const listener = await createListener(url, log)
const meter = createMeter({ config, db, listener, limiter: memoryLimiter(Date.now), log })
const receipts = openSync(join(dir, 'receipts'), 'a')
const loop = async (): Promise<never> => {
  for (;;) {
    const outcome = await meter.commit(call)
    if (outcome.kind !== 'charged') throw new Error('not charged')
    writeSync(receipts, `${outcome.receiptId}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, loop))
