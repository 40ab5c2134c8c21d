import { layoutText } from '../layout/text.ts'

/** The signed-in user according to the session in this browser. Only pages that need it ask the server. */
export function startHeader(): void {
  const email = storedEmail()
  for (const place of document.querySelectorAll('[data-welcome]'))
    place.textContent = layoutText.welcome(email ?? layoutText.defaultName)
  document.querySelector('[data-sign-out]')!.addEventListener('click', async () => {
    const { signOutToHome } = await import('../lib/auth/sign-out.ts')
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
