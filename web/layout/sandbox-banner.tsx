import { useSettings } from '../lib/settings.ts'
import { layoutText } from './text.ts'

/** Says that sign-in or payments are simulated. */
export function SandboxBanner() {
  const { mailbox, consolePath } = useSettings()
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
        <a href={consolePath} className="ml-1 underline underline-offset-2">
          {layoutText.console} <span className="max-sm:sr-only">{layoutText.consoleAddress}</span>
        </a>
      )}
    </aside>
  )
}
