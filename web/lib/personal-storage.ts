const start = 'finmeter.personal.'

/** Storage for one user in this browser, cleared on sign-out. */
export const personalStorage = {
  read(userId: string, name: string): unknown {
    try {
      return JSON.parse(localStorage.getItem(`${start}${userId}.${name}`) ?? 'null')
    } catch {
      return null
    }
  },
  /** Storage may be full or blocked: then nothing is stored. */
  write(userId: string, name: string, value: unknown): void {
    try {
      localStorage.setItem(`${start}${userId}.${name}`, JSON.stringify(value))
    } catch {}
  },
  forget(): void {
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(start)) localStorage.removeItem(key)
    } catch {}
  },
}
