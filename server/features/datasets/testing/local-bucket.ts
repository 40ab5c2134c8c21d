import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { isSigned } from '../../../net/testing/s3-signature.ts'
import type { BucketPlace } from '../published-place.ts'

export interface LocalBucket {
  place: BucketPlace
  /** Address of the server, without the bucket. */
  endpoint: string
  /** Method, path and range of each request. */
  requests: string[]
  /** `false`: connections break, as if the bucket could not be reached. */
  reachable: (is: boolean) => void
  stop: () => Promise<void>
}

/**
 * An S3 server that others wrote (s3rver), behind a proxy that can be cut. The proxy also checks signatures, of which
 * s3rver knows only an older kind.
 */
export async function startBucket(): Promise<LocalBucket> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-bucket-'))
  const s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'data', configs: [] }],
  })
  const { port } = await s3.run()
  const access = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', region: 'us-east-1' }
  const requests: string[] = []
  let isReachable = true
  const proxy = createServer((request, response) => {
    if (!isReachable) return void request.destroy()
    if (!isSigned(request, access))
      return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    requests.push([request.method, request.url, request.headers.range ?? ''].join(' ').trim())
    const { method, url: path, headers } = request
    request.pipe(
      send({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    endpoint,
    requests,
    place: {
      address: `${endpoint}/data/finmeter`,
      localFolder: join(directory, 'local'),
      access,
    },
    reachable(is) {
      isReachable = is
      if (!is) proxy.closeAllConnections()
    },
    async stop() {
      proxy.closeAllConnections()
      await new Promise((done) => proxy.close(done))
      await s3.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
