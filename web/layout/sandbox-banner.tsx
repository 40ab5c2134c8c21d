import { useSettings } from '../lib/settings.ts'
import { layoutText } from './text.ts'

/** Shown above every page if sign-in or payments are simulated. */
export function SandboxBanner() {
  const { sandbox, mailbox, consolePath } = useSettings()
  if (!sandbox) return null
  return (
    <aside
      aria-label="Sandbox"
      className="border-b border-warning-line bg-warning-soft px-4 py-1.5 text-center text-small text-warning sm:px-6 print:hidden"
    >
      {layoutText.sandbox}{' '}
      {mailbox && (
        <a href="/sandbox/mail" className="underline underline-offset-2">
          {layoutText.mailbox}
        </a>
      )}
      {consolePath && (
        <>
          {' '}
          <a href={consolePath} className="whitespace-nowrap underline underline-offset-2">
            {layoutText.console}
          </a>{' '}
          {layoutText.consoleAs}
        </>
      )}
    </aside>
  )
}
