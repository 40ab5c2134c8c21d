import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Bucket, s3Bucket } from '../../net/s3-bucket.ts'
import { inTurn, type RangedFile } from '../market-data/bar-store/ranged-file.ts'
import type { BucketPlace } from './published-place.ts'
import { VERSION, type VersionStorage } from './version-storage.ts'

/** Less than the deadline of a tool, so that its caller gets the reason. */
const TIMEOUT_MS = 5_000
const RETRIES = 2
/** A read waits for the network, not for a thread, so more of them than from a disk. */
const fromBucket = inTurn(16)

/**
 * The same layout as in a folder. Nothing can be renamed in a bucket, so the manifest is stored last: a version without
 * one is none. `current` has a second line, the time, so that its tag changes even if the version does not.
 */
export function bucketStorage({ address, access, localFolder }: BucketPlace): VersionStorage {
  const bucket = s3Bucket(address, access, { timeoutMs: TIMEOUT_MS, retries: RETRIES })
  const read = async (name: string) => (await bucket.ask(name, {}, [200, 404])).text()
  /** By id: what `current` said when it had this tag. */
  const pointers = new Map<string, { tag: string; version: string }>()
  const current = async (id: string) => versionIn(await read(`${id}/current`))
  const put = (name: string, text: string) => bucket.put(name, Buffer.from(text))
  return {
    current,
    answersOf: (id) => join(localFolder, id, 'answers'),
    makeDraftFolder: () => mkdtemp(join(tmpdir(), 'finmeter-import-')),
    async versions(id) {
      const names = (await bucket.list(`${id}/`)).map(({ name }) => name.split('/'))
      return names.flatMap(([, version, file]) =>
        file === 'manifest.json' && VERSION.test(version!) ? [version!] : [],
      )
    },
    files: (id, version) => bucketFiles(bucket, `${id}/${version}`),
    async add(id, version, { name, content }, manifest) {
      const path = `${id}/${version}`
      await (content instanceof Uint8Array
        ? bucket.put(`${path}/${name}`, content)
        : bucket.putFile(`${path}/${name}`, content.path))
      await put(`${path}/manifest.json`, manifest)
    },
    replaceManifest: (id, version, manifest) => put(`${id}/${version}/manifest.json`, manifest),
    async remove(id, version) {
      await bucket.remove(`${id}/${version}/manifest.json`)
      for (const { name } of await bucket.list(`${id}/${version}/`)) await bucket.remove(name)
    },
    point: (id, version) => put(`${id}/current`, `${version}\n${new Date().toISOString()}\n`),
    async served() {
      const found = []
      for (const { name, tag } of await bucket.list('')) {
        const [id, file, ...more] = name.split('/')
        if (file !== 'current' || more.length > 0) continue
        const known = pointers.get(id!)
        const version = known?.tag === tag ? known.version : await current(id!)
        // A file that is listed and not found is looked for again.
        if (!version) continue
        pointers.set(id!, { tag, version })
        found.push({ id: id!, version, mark: `${version} ${tag}` })
      }
      return found
    },
  }
}

const versionIn = (text: string): string | null => {
  const [line = ''] = text.split('\n')
  return VERSION.test(line) ? line : null
}

const bucketFiles = (bucket: S3Bucket, path: string) => ({
  placeOf: (name: string) => `${path}/${name} in the bucket`,
  whole: async (name: string) => Buffer.from(await (await bucket.ask(`${path}/${name}`)).arrayBuffer()),
  async open(name: string): Promise<RangedFile> {
    const { headers } = await bucket.ask(`${path}/${name}`, { method: 'HEAD' })
    return {
      size: Number(headers.get('content-length')),
      read: (offset, length) =>
        fromBucket(async () => new Uint8Array(await bucket.range(`${path}/${name}`, offset, length))),
    }
  },
})
