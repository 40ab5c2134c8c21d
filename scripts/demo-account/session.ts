import { signIn } from '#server/features/auth/testing/sign-in.ts'

/** A person signed in through the sandbox, calling the product API over HTTP. */
export interface DemoPerson {
  email: string
  /** Returns the envelope's `data`. Throws the server's message when it refuses. */
  api: <T>(method: string, path: string, body?: unknown) => Promise<T>
}

/** Signs in to a running Finmeter whose sandbox is on. */
export async function startDemoSession(url: string, email: string): Promise<DemoPerson> {
  const { session } = await signIn(url, { provider: 'github', email })
  return {
    email,
    async api<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const envelope = (await response.json()) as { success: boolean; data: T; error?: string }
      if (!envelope.success) throw new Error(`${method} ${path}: ${envelope.error}`)
      return envelope.data
    },
  }
}
