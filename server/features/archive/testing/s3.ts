import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isSigned } from '../../../net/testing/s3-signature.ts'

/** A server for tests that speaks what the archive needs of S3's API, and refuses requests that are not signed as AWS documents. */
export async function startS3(bucket: string, access: { accessKeyId: string; secretAccessKey: string }) {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const name = (request.url ?? '').replace(`/${bucket}/`, '')
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
    if (!isSigned(request, access)) return refuse(403, 'SignatureDoesNotMatch')
    if (request.method === 'PUT') {
      if (sha256(body) !== request.headers['x-amz-content-sha256']) return refuse(400, 'XAmzContentSHA256Mismatch')
      objects.set(name, body)
      return response.writeHead(200).end()
    }
    const object = objects.get(name)
    if (request.method === 'DELETE') {
      objects.delete(name)
      return response.writeHead(204).end()
    }
    if (!object) return refuse(404, 'NoSuchKey')
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (start === undefined) return response.writeHead(200).end(object)
    return response.writeHead(206).end(object.subarray(Number(start), Number(end) + 1))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    names: () => [...objects.keys()].sort(),
    stop: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex')
