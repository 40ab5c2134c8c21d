import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openBuckets } from './buckets.ts'
import { openDatabase } from './database.ts'

/** A message of PostgreSQL's protocol (https://www.postgresql.org/docs/18/protocol-message-formats.html). */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', Buffer.from('I'))
const gone = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
)

/** PostgreSQL that is killed in the moment in which it lets a client in: both arrive together. */
async function dyingDatabase() {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, gone])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `postgres://finmeter@127.0.0.1:${port}/finmeter`, close: () => server.close() }
}

test.each([
  ['one host', ''],
  ['several hosts', '?target_session_attrs=read-write'],
])('a connection that ends as it begins fails its query, and not the process: %s', async (_what, search) => {
  const dying = await dyingDatabase()
  const db = openDatabase(dying.url + search, 1, () => {})
  const refused = /terminat|connection error/i
  await expect(db.pool.query('select 1')).rejects.toThrow(refused)
  await expect(openBuckets(dying.url + search, 1, () => {})).rejects.toThrow(refused)
  await db.close()
  dying.close()
})
