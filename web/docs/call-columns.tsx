import { buttonClass } from '../ui/button.tsx'
import { CallForm } from './call-form.tsx'
import { Html } from './html.tsx'
import type { DocsPage } from './page.ts'

/** A reference page: the parameters as a form, next to the request and its response. */
export function CallColumns({ call: { form, columns } }: { call: NonNullable<DocsPage['call']> }) {
  return (
    <div className="docs-columns mt-8">
      <Html className="docs-prose" html={columns.intro} />
      <div className="docs-prose">
        <Html html={columns.heading} />
        <CallForm {...form} />
        <Html className="docs-prose mt-4" html={columns.notes} />
      </div>
      <section aria-label="Request and response" className="docs-beside">
        <Html className="docs-prose" html={columns.request} />
        <div className="docs-run mt-4 grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1">
          <button type="submit" form="call" data-run className={buttonClass({ look: 'primary' })}>
            Run
          </button>
          <span className="col-span-2 text-body">{form.price}</span>
          <p data-key-note className="col-span-2 min-h-4 text-small text-muted" />
          <button
            type="button"
            data-share
            className={buttonClass({ look: 'quiet', size: 'small', className: '-mr-2.5' })}
          >
            Copy link
          </button>
        </div>
        {/* Kept only if the installation has the demo key. */}
        {form.isOpen && (
          <div data-if="DEMO_KEY">
            <p data-demo-key hidden />
          </div>
        )}
        <div className="docs-prose mt-6">
          <h2 id="response">
            <a href="#response">Response</a>
          </h2>
        </div>
        <p data-failure role="alert" className="docs-problem empty:hidden" />
        <div data-live className="scroll-mb-6 text-body" />
        <Html className="docs-prose docs-sample mt-4" html={columns.sample} />
      </section>
      <Html className="docs-prose" html={columns.rest} />
    </div>
  )
}
