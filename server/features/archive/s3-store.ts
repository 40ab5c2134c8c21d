import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { AwsClient } from 'aws4fetch'
import type { ArchiveStore } from './archive-store.ts'

const TIMEOUT_MS = 60_000
const UPLOAD_TIMEOUT_MS = 30 * 60_000
const RETRIES = 3

export interface S3Access {
  accessKeyId: string
  secretAccessKey: string
  /** Absent: as the address says, else us-east-1. */
  region: string | undefined
}

/** An archive in a bucket of S3, or of a server that speaks its API. `place`: the address of the bucket, and a path in it. */
export function s3Store(place: string, access: S3Access): ArchiveStore {
  const client = new AwsClient({ ...access, service: 's3', retries: RETRIES })
  const ask = async (
    name: string,
    request: RequestInit,
    allowed: number[],
    timeoutMs = TIMEOUT_MS,
  ): Promise<Response> => {
    const response = await client.fetch(`${place}/${name}`, { ...request, signal: AbortSignal.timeout(timeoutMs) })
    if (allowed.includes(response.status)) return response
    const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]
    throw new Error(
      `The archive refused ${request.method ?? 'GET'} ${name}: ${response.status} ${code ?? ''}`.trimEnd(),
    )
  }
  return {
    draftFolder: tmpdir(),
    async keep(draft, name) {
      // The server compares the hash with what it received.
      const headers = { 'x-amz-content-sha256': await sha256Of(draft) }
      await ask(name, { method: 'PUT', headers, body: await openAsBlob(draft) }, [200], UPLOAD_TIMEOUT_MS)
      await rm(draft)
    },
    open: (name, bytes) => ({
      byteLength: bytes,
      async slice(start, end = bytes) {
        if (end <= start) return new ArrayBuffer(0)
        const response = await ask(name, { headers: { range: `bytes=${start}-${end - 1}` } }, [206])
        return response.arrayBuffer()
      },
    }),
    remove: async (name) => void (await ask(name, { method: 'DELETE' }, [200, 204, 404])),
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
