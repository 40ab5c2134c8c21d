import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ArchiveStore } from './archive-store.ts'

/** An archive in a folder, which all servers share. A file has its name only once it is complete and on disk. */
export function folderStore(folder: string): ArchiveStore {
  const root = resolve(folder)
  const pathOf = (name: string) => join(root, name)
  return {
    draftFolder: root,
    async keep(draft, name) {
      const path = pathOf(name)
      await flush(draft)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(draft, path)
      await flush(dirname(path))
      await flush(root)
    },
    open: (name, bytes) => ({
      byteLength: bytes,
      async slice(start, end = bytes) {
        const file = await open(pathOf(name))
        try {
          const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start)
          if (bytesRead < end - start)
            throw new Error(`${name} in the archive is shorter than it was when it was written`)
          return buffer.buffer
        } finally {
          await file.close()
        }
      },
    }),
    remove: (name) => rm(pathOf(name), { force: true }),
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}
