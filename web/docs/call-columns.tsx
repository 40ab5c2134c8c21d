import { buttonClass } from '../ui/button.tsx'
import { CallForm, HiddenForm, MoreFields } from './call-form.tsx'
import { Html } from './html.tsx'
import type { DocsPage } from './page.ts'

/**
 * A call: the parameters as a form, next to the request and its response. A guide has its steps instead, and makes the
 * call of the example.
 */
export function CallColumns({ call: { form, columns } }: { call: NonNullable<DocsPage['call']> }) {
  const isGuide = columns.rest !== ''
  return (
    <div className="docs-columns mt-8">
      <Html className="docs-prose" html={columns.intro} />
      {!isGuide && (
        <div className="docs-prose">
          <Html html={columns.heading} />
          <CallForm {...form} />
        </div>
      )}
      <section aria-label="Request and response" className="docs-beside">
        <Html className="docs-prose" html={columns.request} />
        {/* try/start-try.ts enables it: until then, a press would only load the page again. */}
        <div className="docs-run mt-4 flex items-center gap-3">
          <button type="submit" form="call" data-run disabled className={buttonClass({ look: 'primary' })}>
            Run
          </button>
          <span className="text-body">{form.price}</span>
        </div>
        <div className="docs-run-more mt-2 flex flex-wrap items-center gap-x-2 gap-y-1">
          <p data-key-note className="min-h-4 w-full text-small text-muted" />
          {!isGuide && form.fields.length > 0 && (
            <button
              type="reset"
              form="call"
              className={buttonClass({ look: 'quiet', size: 'small', className: '-ml-2.5' })}
            >
              Reset to the example
            </button>
          )}
          {!isGuide && (
            <button
              type="button"
              data-share
              className={buttonClass({ look: 'quiet', size: 'small', className: 'ml-auto -mr-2.5' })}
            >
              Copy link
            </button>
          )}
        </div>
        {/* Kept only if the installation has the demo key. */}
        {form.isOpen && (
          <div data-if="DEMO_KEY">
            <p data-demo-key hidden />
          </div>
        )}
        <div className="docs-prose mt-10!">
          <h2 id="response">
            <a href="#response">Response</a>
          </h2>
        </div>
        <p data-failure role="alert" className="docs-problem empty:hidden" />
        <div data-live className="scroll-mb-6 text-body" />
        <Html className="docs-prose docs-sample mt-4" html={columns.sample} />
      </section>
      {isGuide ? (
        <>
          <Html className="docs-prose" html={columns.rest} />
          <HiddenForm {...form} />
        </>
      ) : (
        <MoreFields fields={form.fields} />
      )}
      {columns.notes.trim() !== '' && <Html className="docs-prose" html={columns.notes} />}
    </div>
  )
}
