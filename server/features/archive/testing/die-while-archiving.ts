/** A worker for tests: archives the due days and dies, as with kill -9, at the moment named on its command line. */
import { openDatabase } from '../../../db/database.ts'
import { archiveDays } from '../archive-days.ts'
import { type ArchiveStore, openArchive } from '../archive-store.ts'

const [databaseUrl = '', folder = '', moment = ''] = process.argv.slice(2)
const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}
const real = (await openArchive({ USAGE_ARCHIVE: folder }))!
const store: ArchiveStore = {
  ...real,
  async keep(draft, name) {
    if (moment === 'before the file is stored') die()
    await real.keep(draft, name)
    if (moment === 'after the file is stored') die()
  },
}
const db = openDatabase(databaseUrl, 4, () => {})
const connect = db.pool.connect.bind(db.pool)
const statements: Record<string, [RegExp, 'before' | 'after']> = {
  'while rows are read': [/^fetch/, 'after'],
  'before the record': [/^insert into usage_archives/, 'before'],
  'after the record': [/^insert into usage_archives/, 'after'],
  'after the partition is dropped': [/^drop table/, 'after'],
  'after the commit': [/^commit/, 'after'],
}
/** The rows are read in a transaction of their own, which ends with a commit, too. */
let isDropped = false
const [statement, when] = statements[moment] ?? [null, 'before']
db.pool.connect = (async (...callback: []) => {
  // The pool itself connects with a callback.
  if (callback.length > 0) return connect(...callback)
  const client = await connect()
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  client.query = (async (text: unknown, ...values: unknown[]) => {
    const here = typeof text === 'string' && statement?.test(text) && (moment !== 'after the commit' || isDropped)
    if (typeof text === 'string' && /^drop table/.test(text)) isDropped = true
    if (here && when === 'before') die()
    const result = await query(text, ...values)
    if (here && when === 'after') die()
    return result
  }) as typeof client.query
  return client
}) as typeof db.pool.connect
await archiveDays({ db, bucket: 'm00', store, hotDays: 35, toolName: () => null })
await db.close()
