import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './exit-codes.ts'

export interface Login {
  accessToken: string
  refreshToken: string
  /** Milliseconds since 1970. */
  expiresAtMs: number
}

interface Logins {
  /** The address of the last login. */
  current: string | null
  /** By address. */
  logins: Record<string, Login>
}

const LOCK_WAIT_MS = 10_000
/** A lock this old belongs to a program that was ended. */
const LOCK_STALE_MS = 60_000

const folder = (): string => join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'finmeter')
/** Where the tokens are. Only this person may read it. */
export const loginsFile = (): string => join(folder(), 'credentials.json')

/** The stored logins; none if there is no file. Throws CliError for a file that is damaged. */
export async function readLogins(): Promise<Logins> {
  const text = await readFile(loginsFile(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return { current: null, logins: {} }
  try {
    const { current, logins } = JSON.parse(text)
    return { current: current ?? null, logins: Object(logins) }
  } catch {
    throw new CliError('unexpected', `${loginsFile()} is damaged.`, 'Delete it and run finmeter login.')
  }
}

/**
 * Changes the stored logins while no other process does, for example while a token is renewed: a refresh token works once, and
 * its second use would end the connection.
 */
export async function changeLogins<T>(change: (logins: Logins) => Promise<T> | T): Promise<T> {
  await mkdir(folder(), { recursive: true, mode: 0o700 })
  const lock = join(folder(), 'credentials.lock')
  const owner = await takeLock(lock)
  try {
    const logins = await readLogins()
    const result = await change(logins)
    // Written beside it and renamed, so that nobody reads half a file; new, so that its mode is ours.
    const next = `${loginsFile()}.${process.pid}`
    await rm(next, { force: true })
    await writeFile(next, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(next, loginsFile())
    return result
  } finally {
    await dropLock(lock, async (file) => (await readFile(file, 'utf8')) === owner)
  }
}

/** Waits until the lock is free, and returns what the file then contains. */
async function takeLock(lock: string): Promise<string> {
  const owner = randomUUID()
  for (let waitedMs = 0; ; waitedMs += 100) {
    const taken = await writeFile(lock, owner, { flag: 'wx', mode: 0o600 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw error
      },
    )
    if (taken) return owner
    if (await isStale(lock).catch(() => false)) await dropLock(lock, isStale)
    if (waitedMs >= LOCK_WAIT_MS)
      throw new CliError('unexpected', 'Another finmeter process is changing the login.', 'Try again.')
    await sleep(100)
  }
}

const isStale = async (lock: string): Promise<boolean> => Date.now() - (await stat(lock)).mtimeMs > LOCK_STALE_MS

/** Removes the lock if it is still the one that is meant: moved away first, because it may have a new owner by now. */
async function dropLock(lock: string, isMeant: (file: string) => Promise<boolean>): Promise<void> {
  const moved = `${lock}.${randomUUID()}`
  try {
    await rename(lock, moved)
  } catch {
    return
  }
  if (!(await isMeant(moved))) await link(moved, lock).catch(() => undefined)
  await rm(moved, { force: true })
}
