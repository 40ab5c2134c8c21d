import { layoutText } from '../layout/text.ts'

/** Who is signed in, as the session in this browser says; the server is asked by the pages that need it. */
export function startHeader(): void {
  const email = storedEmail()
  for (const place of document.querySelectorAll('[data-welcome]'))
    place.textContent = layoutText.welcome(email ?? layoutText.defaultName)
  document.querySelector('[data-sign-out]')!.addEventListener('click', async () => {
    const { signOutToHome } = await import('../lib/sign-out.ts')
    await signOutToHome()
  })
}

function storedEmail(): string | null {
  try {
    const session = JSON.parse(localStorage.getItem('supabase.auth.token') ?? 'null') as {
      user?: { email?: unknown }
    } | null
    return typeof session?.user?.email === 'string' ? session.user.email : null
  } catch {
    return null
  }
}
