import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#server/testing/harness.ts'
import { createListener } from './listen.ts'

test('closing breaks off what is about to listen, and that is no fault: commands are often done before', async () => {
  const database = await createTestDatabase()
  const log = pino({ level: 'silent' })
  const warn = vi.spyOn(log, 'warn')
  const listener = await createListener(database.url, log)
  listener.on('credits_changed', () => {})
  // The statement has been sent, and its answer cannot have arrived yet.
  await Promise.resolve()
  await Promise.resolve()
  await listener.close()
  await new Promise(setImmediate)
  expect(warn).not.toHaveBeenCalled()
  await database.drop()
})
