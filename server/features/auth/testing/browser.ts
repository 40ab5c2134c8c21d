/** A browser as far as sign-in goes: it follows redirects one at a time and keeps cookies. */
export interface Browser {
  /** One request, no redirect followed. */
  visit: (url: string, init?: RequestInit) => Promise<Response>
  /** Follows redirects from `url` while `stay` allows the next address; returns the address that it did not visit. */
  follow: (url: string, stay: (next: URL) => boolean, init?: RequestInit) => Promise<URL>
  cookies: Map<string, string>
}

/** `reach` maps an address to the one that is really used, like a reverse proxy. */
export function createBrowser(reach = (url: string): string => url): Browser {
  const cookies = new Map<string, string>()
  const visit = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(reach(url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';', 1)[0]!.split('=') as [string, string]
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    visit,
    async follow(url, stay, init) {
      let response = await visit(url, init)
      for (let step = 0; step < 10; step++) {
        const location = response.headers.get('location')
        if (!location) throw new Error(`${response.status} without a redirect: ${await response.text()}`)
        const next = new URL(location, url)
        if (!stay(next)) return next
        response = await visit(next.toString())
      }
      throw new Error('too many redirects')
    },
  }
}
