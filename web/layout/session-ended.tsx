import { buttonClass } from '../ui/button.tsx'
import { Modal } from '../ui/modal.tsx'
import { layoutText as text } from './text.ts'

/** Over a page whose session has ended while something was typed: a new log-in, in another tab, goes on with it. */
export function SessionEnded() {
  return (
    <Modal
      open
      onClose={() => {}}
      role="alertdialog"
      label={text.sessionEnded}
      className="mx-auto mt-[18dvh] w-[calc(100vw-2rem)] max-w-md rounded-card border border-line shadow-float"
    >
      <div className="p-5">
        <h2 className="text-prose font-strong">{text.sessionEnded}</h2>
        <p className="mt-1 text-muted">{text.sessionEndedAbout}</p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <a href="/login" className={buttonClass()}>
            {text.discard}
          </a>
          <a href="/login" target="_blank" rel="noopener opener" className={buttonClass({ look: 'primary' })}>
            {text.logInAgain}
          </a>
        </div>
      </div>
    </Modal>
  )
}
