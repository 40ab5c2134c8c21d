import { statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'

/** A folder in memory where that has `bytes` free, unless TMPDIR names another; else the folder for temporary files. */
export async function roomyFolder(bytes: number): Promise<string> {
  if (process.env.TMPDIR) return tmpdir()
  const memory = await statfs('/dev/shm').catch(() => null)
  return memory && Math.min(memory.bavail * memory.bsize, freemem()) > bytes ? '/dev/shm' : tmpdir()
}
