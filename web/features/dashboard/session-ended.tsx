import { buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { dashboardText as text } from './text.ts'

/** Shown over a page whose session ended with unsaved input: signing in again in another tab resumes it. */
export function SessionEnded() {
  return (
    <Dialog alert title={text.sessionEnded} about={text.sessionEndedAbout} onClose={() => {}}>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <a href="/login" className={buttonClass()}>
          {text.discard}
        </a>
        <a href="/login" target="_blank" rel="noopener opener" className={buttonClass({ look: 'primary' })}>
          {text.logInAgain}
        </a>
      </div>
    </Dialog>
  )
}
