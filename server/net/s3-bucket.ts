import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { AwsClient } from 'aws4fetch'
import { firstBytes } from './first-bytes.ts'

const UPLOAD_TIMEOUT_MS = 30 * 60_000
/** A file beyond this goes in parts of this size, of which S3 takes 10,000: up to 640 GB. */
const PART_BYTES = 64 * 2 ** 20
/** A page of a list has 1,000 names of at most 1 KB. */
const MOST_XML_BYTES = 8 * 2 ** 20

export interface S3Access {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken?: string | undefined
  /** Taken from the address if absent, else us-east-1. */
  region: string | undefined
}

/** The bucket did not answer, or not now: the same request may succeed later. Names neither address nor credentials. */
export class BucketAway extends Error {
  override name = 'BucketAway'
}

export interface S3Bucket {
  /** Throws `BucketAway`, or an error with status and S3's code, for any status that is not `allowed`. */
  ask: (name: string, request?: RequestInit, allowed?: number[]) => Promise<Response>
  /** Exactly `length` bytes. */
  range: (name: string, offset: number, length: number) => Promise<ArrayBuffer>
  put: (name: string, content: Uint8Array) => Promise<void>
  /** Stores a local file of any size, in parts if it is large. */
  putFile: (name: string, path: string) => Promise<void>
  /** Names that begin with `prefix`, in order, and a tag of each that changes with its content. */
  list: (prefix: string) => Promise<{ name: string; tag: string }[]>
  /** Succeeds also if there is no such file. */
  remove: (name: string) => Promise<void>
}

/**
 * A bucket of S3, or of a server that speaks its API. `place`: the address of the bucket, and a path in it, below which all
 * names are. `timeoutMs` is for a request with its retries, of which uploads have none.
 */
export function s3Bucket(
  place: string,
  access: S3Access,
  { timeoutMs, retries, partBytes = PART_BYTES }: { timeoutMs: number; retries: number; partBytes?: number },
): S3Bucket {
  const { sessionToken, ...keys } = access
  const client = new AwsClient({ ...keys, ...(sessionToken && { sessionToken }), service: 's3', retries })
  const send = async (url: string, request: RequestInit, allowed: number[], limitMs: number): Promise<Response> => {
    const what = `${request.method ?? 'GET'} ${url.slice(place.length + 1)}`
    let response: Response
    try {
      response = await client.fetch(url, { ...request, signal: AbortSignal.timeout(limitMs) })
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      throw new BucketAway(`The bucket did not answer ${what}: ${code ?? (error as Error).name}`)
    }
    if (allowed.includes(response.status)) return response
    const code = /<Code>(\w+)<\/Code>/.exec(await textOf(response).catch(() => ''))?.[1]
    const text = `The bucket refused ${what}: ${response.status} ${code ?? ''}`.trimEnd()
    throw response.status >= 500 || response.status === 429 ? new BucketAway(text) : new Error(text)
  }
  const ask: S3Bucket['ask'] = (name, request = {}, allowed = [200]) =>
    send(`${place}/${name}`, request, allowed, timeoutMs)
  const upload = (name: string, request: RequestInit) => send(`${place}/${name}`, request, [200], UPLOAD_TIMEOUT_MS)

  /** S3 can begin an answer with 200 and find an error later, and some servers end one without saying that it is cut. */
  const wholeXml = async (response: Response, root: string): Promise<string> => {
    const text = await textOf(response).catch(() => '')
    if (!text.includes(`</${root}>`)) throw new BucketAway(`The bucket sent no complete ${root}.`)
    return text
  }

  const putParts = async (name: string, path: string, size: number): Promise<void> => {
    const started = await textOf(await ask(`${name}?uploads=`, { method: 'POST' }))
    const id = encodeURIComponent(elementOf(started, 'UploadId'))
    const file = await open(path)
    try {
      const parts: string[] = []
      for (let at = 0; at < size; at += partBytes) {
        const bytes = new Uint8Array(Math.min(partBytes, size - at))
        const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
        if (bytesRead < bytes.length) throw new Error(`${path} became shorter while it was stored.`)
        const number = parts.length + 1
        const stored = await upload(`${name}?partNumber=${number}&uploadId=${id}`, { method: 'PUT', ...hashed(bytes) })
        parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${stored.headers.get('etag')}</ETag></Part>`)
      }
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      await wholeXml(await upload(`${name}?uploadId=${id}`, { method: 'POST', body }), 'CompleteMultipartUploadResult')
    } catch (error) {
      // Parts that belong to nothing cost money.
      await ask(`${name}?uploadId=${id}`, { method: 'DELETE' }, [200, 204, 404]).catch(() => {})
      throw error
    } finally {
      await file.close()
    }
  }

  return {
    ask,
    async range(name, offset, length) {
      const range = `bytes=${offset}-${offset + length - 1}`
      const response = await ask(name, { headers: { range } }, [206])
      const { bytes, whole } = await firstBytes(response, length).catch(() => {
        throw new BucketAway(`The bucket ended its answer to GET ${name} early.`)
      })
      if (!whole) throw new BucketAway(`The bucket sent more of ${name} than it was asked for.`)
      if (bytes.byteLength !== length)
        throw new Error(`${name} in the bucket ends before byte ${offset + length}: it was changed.`)
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + length)
    },
    put: async (name, content) => void (await upload(name, { method: 'PUT', ...hashed(content) })),
    async putFile(name, path) {
      const body = await openAsBlob(path)
      if (body.size > partBytes) return putParts(name, path, body.size)
      // The server compares the hash with what it received.
      const headers = { 'x-amz-content-sha256': await sha256Of(path) }
      await upload(name, { method: 'PUT', headers, body })
    },
    async list(prefix) {
      const found: { name: string; tag: string }[] = []
      const { pathname, origin } = new URL(place)
      const [, bucket, ...folders] = pathname.split('/')
      const root = folders.map((folder) => `${folder}/`).join('')
      for (let after = ''; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: root + prefix, 'start-after': after })
        const text = await wholeXml(
          await send(`${origin}/${bucket}?${query}`, {}, [200], timeoutMs),
          'ListBucketResult',
        )
        const before = after
        for (const [, entry] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          after = elementOf(entry!, 'Key')
          found.push({ name: after.slice(root.length), tag: elementOf(entry!, 'ETag') })
        }
        if (!/<IsTruncated>true</.test(text)) return found
        if (after === before) throw new BucketAway('The bucket says that its list goes on, and sends no more of it.')
      }
    },
    remove: async (name) => void (await ask(name, { method: 'DELETE' }, [200, 204, 404])),
  }
}

const textOf = async (response: Response): Promise<string> =>
  (await firstBytes(response, MOST_XML_BYTES)).bytes.toString()

/** Our names and tags need no unescaping. */
function elementOf(xml: string, element: string): string {
  const text = new RegExp(`<${element}>([^<]+)</${element}>`).exec(xml)?.[1]
  if (text === undefined) throw new Error(`The bucket sent an answer without ${element}.`)
  return text
}

const hashed = (bytes: Uint8Array) => ({
  body: bytes as BodyInit,
  headers: { 'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex') },
})

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
