/**
 * A folder of a feature, a room, has at most 25 files besides its tests: more than that a reader no longer takes in. The remedy is to
 * group what a reader looks for together, or to merge what is one thought.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

const MOST_FILES = 25

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server/features', 'web/features'], {
  encoding: 'utf8',
})
  .split('\n')
  // A deleted file is listed until its deletion is committed.
  .filter((file) => file !== '' && existsSync(file) && !/\.test\.tsx?$/.test(file))
const rooms = Map.groupBy(files, dirname)
const full = [...rooms].filter(([, { length }]) => length > MOST_FILES)
for (const [room, { length }] of full) console.error(`${room} has ${length} files: at most ${MOST_FILES}, tests aside`)
const most = Math.max(...[...rooms.values()].map(({ length }) => length))
console.log(`${rooms.size} rooms, at most ${most} files in one`)
process.exitCode = full.length > 0 ? 1 : 0
