const MOST_BYTES = 64 * 2 ** 20
/** What an entry takes besides its body and headers, roughly; so there are never very many. */
const ENTRY_BYTES = 1024

/** A complete answer; header names in lower case. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface AnswerCache {
  /** Forgets what earlier openings of the upstream kept. Returns the beginning of the keys of this one, which no other has. */
  open: (upstream: string) => string
  /** The answer, and its age in whole seconds; undefined: there is none, or it is too old. */
  find: (key: string) => { answer: KeptAnswer; ageS: number } | undefined
  /** `askedAtMs`, by `now`: when the upstream was asked, so that an answer is never older than it says. */
  keep: (key: string, answer: KeptAnswer, terms: { seconds: number; askedAtMs: number }) => void
  now: () => number
  readonly bytes: number
}

/**
 * Answers of upstreams in the memory of one server process, at most `mostBytes` in all, the ones used last. One that takes more than an
 * eighth of that is not kept. `now` is a clock in milliseconds that never goes back.
 */
export function createAnswerCache({ mostBytes = MOST_BYTES, now = () => performance.now() } = {}): AnswerCache {
  const entries = new Map<string, { answer: KeptAnswer; bytes: number; askedAtMs: number; expiresAtMs: number }>()
  let bytes = 0
  let openings = 0
  const remove = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    now,
    get bytes() {
      return bytes
    },
    open(upstream) {
      for (const key of entries.keys()) if (key.startsWith(`${upstream}/`)) remove(key)
      openings++
      return `${upstream}/${openings}/`
    },
    find(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      const atMs = now()
      if (atMs >= entry.expiresAtMs) {
        remove(key)
        return undefined
      }
      // The one used last is the last to go.
      entries.delete(key)
      entries.set(key, entry)
      return { answer: entry.answer, ageS: Math.floor((atMs - entry.askedAtMs) / 1000) }
    },
    keep(key, { status, headers, body }, { seconds, askedAtMs }) {
      const size = ENTRY_BYTES + body.length + 2 * (key.length + Object.entries(headers).flat().join('').length)
      if (size > mostBytes / 8) return
      remove(key)
      // A copy: the body may be a piece of a much larger buffer of its connection, which would stay in memory as well.
      const copy = Buffer.allocUnsafeSlow(body.length)
      body.copy(copy)
      const expiresAtMs = askedAtMs + seconds * 1000
      entries.set(key, { answer: { status, headers, body: copy }, bytes: size, askedAtMs, expiresAtMs })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= mostBytes) break
        remove(oldest)
      }
    },
  }
}
