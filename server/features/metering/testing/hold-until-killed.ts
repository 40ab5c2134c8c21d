/** A process that holds 5 credits and settles for 3, again and again, and prints the receipt of each settlement. */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../../config/config.ts'
import { openDatabase } from '../../../db/database.ts'
import { createListener } from '../../../db/listen.ts'
import { createLog } from '../../../log.ts'
import { createMeter } from '../create-meter.ts'
import { memoryLimiter } from '../rate-limiter.ts'

const [url = '', dir = '', accountId, bucket, keyId] = process.argv.slice(2)
const caller = { accountId: Number(accountId), bucket: Number(bucket), keyId: Number(keyId) }
const log = createLog({ LOG_LEVEL: 'silent' })
const config = loadConfig({ NODE_ENV: 'test', FINMETER_DATA_DIR: dir, KEYS_SECRET: 'ab'.repeat(32) })
const db = openDatabase(url, 4, () => {})
const listener = await createListener(url, log)
const meter = createMeter({ config, db, listener, limiter: memoryLimiter(Date.now), log })
const loop = async (n: number): Promise<never> => {
  for (;;) {
    const held = await meter.hold(caller, { most: 5, seconds: 60 })
    if (held?.kind !== 'held') throw new Error('not held')
    // Its work, so that some calls hold while others settle.
    await sleep(n * 2)
    const call = { ...caller, toolId: 1, credits: 3, status: 'success' as const, durationMs: 1, holdId: held.id }
    const outcome = await meter.commit(call)
    if (outcome.kind !== 'charged') throw new Error('not charged')
    process.stdout.write(`${outcome.receiptId}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, (_, n) => loop(n)))
