import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMb } from '../machine.ts'
import { END_PATH, UPSTREAM_ID, WATCH_PATH } from './acme.ts'

const AT_ONCE = 50
const WARM_UP = 50
const SAMPLE_MS = 100
const OPEN_MS = 3_000

export interface StreamMemory {
  streams: number
  beforeMb: number
  /** The most while the streams were opened and open. */
  mostMb: number
  problems: string[]
}

interface Ports {
  /** Of Finmeter, and of the upstream behind it. */
  finmeter: number
  upstream: number
}

/** Opens `count` event streams, holds them open for a while, and lets the upstream end them. Each must say its charge of 1 credit at its end. */
export async function measureStreams(
  ports: Ports,
  { pid, keys, count }: { pid: number; keys: string[]; count: number },
): Promise<StreamMemory> {
  const warmedUp = await openStreams(ports.finmeter, keys, Math.min(WARM_UP, count))
  const problems = await endStreams(ports, warmedUp)
  const beforeMb = residentMb(pid)
  let mostMb = beforeMb
  const sampling = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(pid))
  }, SAMPLE_MS)
  try {
    const streams = await openStreams(ports.finmeter, keys, count)
    await sleep(OPEN_MS)
    problems.push(...(await endStreams(ports, streams)))
  } finally {
    clearInterval(sampling)
  }
  return { streams: warmedUp.length + count, beforeMb, mostMb, problems }
}

interface Stream {
  socket: Socket
  /** The first bytes and the last ones. */
  head: string
  tail: string
}

/** Resolves when each stream has its first event. */
async function openStreams(port: number, keys: string[], count: number): Promise<Stream[]> {
  const streams: Stream[] = []
  while (streams.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - streams.length) }, (_, at) =>
      openStream(port, keys[(streams.length + at) % keys.length]!),
    )
    streams.push(...(await Promise.all(some)))
  }
  return streams
}

async function openStream(port: number, key: string): Promise<Stream> {
  const socket = connect(port, '127.0.0.1')
  const stream: Stream = { socket, head: '', tail: '' }
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `GET /v1/${UPSTREAM_ID}${WATCH_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nFinmeter-Trailer: on\r\n\r\n`,
  )
  return new Promise((done, failed) => {
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      stream.tail = (stream.tail + text).slice(-600)
      if (stream.head.includes('data: ')) return
      stream.head += text
      if (stream.head.includes('data: ')) done(stream)
    })
    socket.once('close', () => failed(new Error(`A stream was not opened: ${stream.head.slice(0, 500)}`)))
  })
}

/** Resolves when each stream has ended. Returns what is wrong with them. */
async function endStreams({ upstream }: Ports, streams: Stream[]): Promise<string[]> {
  const ended = streams.map(async (stream) => {
    while (!stream.tail.endsWith('\r\n0\r\n\r\n') && !stream.socket.destroyed)
      await Promise.race([once(stream.socket, 'data'), once(stream.socket, 'close')])
    stream.socket.destroy()
    const isRight =
      /^HTTP\/1\.1 200 .*\r\nx-credits-held: 1\r\n/is.test(stream.head) &&
      stream.tail.includes('event: finmeter\ndata: {"credits_charged":1,')
    return isRight ? [] : [`a stream ended without its charge: ${stream.tail.slice(-200)}`]
  })
  await fetch(`http://127.0.0.1:${upstream}${END_PATH}`)
  return (await Promise.all(ended)).flat()
}
