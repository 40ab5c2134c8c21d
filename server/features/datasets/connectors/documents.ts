import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { Unzip, UnzipInflate } from 'fflate'
import { BadAnswer } from './connector.ts'

/** One document must fit into memory; an archive need not. */
const MAX_DOCUMENT_BYTES = 128_000_000
const END_OF_ZIP = Buffer.from([0x50, 0x4b, 0x05, 0x06])

export interface Document {
  bytes: Uint8Array
  /** Its name in a zip; null outside. */
  file: string | null
}

/** The documents of a downloaded answer: itself, unpacked from gzip, or each file of a zip. Throws BadAnswer for a cut one. */
export async function* documentsOf(path: string): AsyncIterable<Document> {
  const handle = await open(path)
  const start = Buffer.alloc(4)
  await handle.read(start, 0, 4, 0)
  const { size } = await handle.stat()
  const tail = Buffer.alloc(Math.min(size, 66_000))
  await handle.read(tail, 0, tail.length, size - tail.length)
  await handle.close()
  if (start[0] === 0x1f && start[1] === 0x8b) yield { bytes: await gathered(unpacked(path)), file: null }
  else if (start.toString('latin1') === 'PK\u0003\u0004') yield* zipped(path, tail)
  else yield { bytes: await gathered(createReadStream(path)), file: null }
}

async function* unpacked(path: string): AsyncIterable<Buffer> {
  const gunzip = createGunzip()
  const source = createReadStream(path)
  source.on('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer
  } catch (error) {
    throw new BadAnswer(`the gzip file is not complete: ${(error as Error).message}`)
  }
}

async function gathered(chunks: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const all: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MAX_DOCUMENT_BYTES) throw new BadAnswer('a document is larger than 128 MB')
    all.push(chunk)
  }
  return Buffer.concat(all)
}

/** Files of a zip, one after the other. A zip ends with a directory that counts them, so a cut one is noticed first. */
async function* zipped(path: string, tail: Buffer): AsyncIterable<Document> {
  const at = tail.lastIndexOf(END_OF_ZIP)
  if (at === -1) throw new BadAnswer('the zip file is not complete')
  const wanted = tail.readUInt16LE(at + 10)
  let found = 0
  const ready: Document[] = []
  let failure: Error | null = null
  const unzip = new Unzip((file) => {
    found += 1
    const chunks: Uint8Array[] = []
    let bytes = 0
    file.ondata = (error, chunk, last) => {
      bytes += chunk?.length ?? 0
      if (error || bytes > MAX_DOCUMENT_BYTES)
        failure ??= new BadAnswer(`${file.name} in the zip file ${error ? 'is damaged' : 'is larger than 128 MB'}`)
      if (failure) return
      chunks.push(chunk)
      if (last && !file.name.endsWith('/')) ready.push({ bytes: Buffer.concat(chunks), file: file.name })
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for await (const chunk of createReadStream(path)) {
    unzip.push(chunk as Buffer)
    if (failure) throw failure
    yield* ready.splice(0)
  }
  unzip.push(new Uint8Array(), true)
  if (failure) throw failure
  yield* ready.splice(0)
  // 0xffff: more files than this field can count.
  if (wanted !== 0xffff && found !== wanted) throw new BadAnswer(`the zip file has ${found} of ${wanted} files`)
}
