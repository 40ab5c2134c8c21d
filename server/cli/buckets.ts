import { allBucketIds } from '../db/buckets.ts'
import type { Database } from '../db/database.ts'
import { citusNodes, distributeBucket, drainNode, moveBucketToNode } from '../db/distribute.ts'
import { makeBucket } from '../db/make-bucket.ts'
import { findAccount } from '../features/operator/find-account.ts'
import { listBuckets } from '../features/operator/list-buckets.ts'
import { moveAccount } from '../features/operator/move-account.ts'
import type { Connection } from './connect.ts'
import { print, Usage } from './print.ts'

/** npm run admin -- buckets [add | move <account> <bucket> | distribute | place <bucket> <node> | drain <node>] */
export async function manageBuckets({ db }: Connection, words: string[], usage: string): Promise<void> {
  const [act, named, bucket, ...rest] = words
  if (act === undefined) return printBuckets(await listBuckets(db))
  if (act === 'add' && named === undefined) {
    const { buckets } = await listBuckets(db)
    const added = Math.max(...buckets.map((line) => line.bucket)) + 1
    await makeBucket(db, added)
    print(`Bucket ${added} is ready. New accounts go to the bucket with the fewest accounts.`)
    return
  }
  if (act === 'distribute' && named === undefined) return distribute(db)
  if (act === 'place' && named !== undefined && bucket !== undefined && rest.length === 0) {
    await moveBucketToNode(db, bucketNumber(named), bucket)
    print(`Bucket ${named} is at ${bucket}.`)
    return
  }
  if (act === 'drain' && named !== undefined && bucket === undefined)
    return drainNode(db, named, (moved, to) => print(`Bucket ${moved} is at ${to}.`))
  if (act !== 'move' || named === undefined || bucket === undefined || rest.length > 0) throw new Usage(usage)
  await moveAccount(db, await findAccount(db.kysely, named), bucketNumber(bucket), print)
}

function bucketNumber(word: string): number {
  if (!/^\d{1,4}$/.test(word)) throw new Error(`A bucket is named by its number, not ${word}.`)
  return Number(word)
}

async function distribute(db: Database): Promise<void> {
  for (const bucket of await allBucketIds(db.kysely))
    if (await distributeBucket(db, bucket)) print(`Bucket ${bucket} is distributed.`)
  for (const { name, buckets } of await citusNodes(db.kysely))
    print(`${name}  ${buckets.length === 0 ? 'no buckets' : `buckets ${buckets.join(', ')}`}`)
}

function printBuckets({ buckets, moves }: Awaited<ReturnType<typeof listBuckets>>): void {
  for (const { bucket, schema, accounts, callsADay, bytes } of buckets)
    print(
      [bucket, schema, `${accounts} accounts`, `${callsADay} calls a day`, `${(bytes / 2 ** 20).toFixed(1)} MiB`].join(
        '  ',
      ),
    )
  for (const { publicId, from, to, startedAt } of moves)
    print(
      `Account ${publicId} has been moving from ${from} to ${to} since ${startedAt.toISOString()}. Finish it: npm run admin -- buckets move ${publicId} ${to}`,
    )
}
