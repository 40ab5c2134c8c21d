import { buttonClass } from '../ui/button.tsx'
import { Search } from '../ui/icons/public.ts'

/** Closed at first; its index is fetched when it first opens. */
export function SearchDialog() {
  return (
    <dialog
      id="search"
      aria-label="Search the documentation"
      className="modal mx-auto mt-[10vh] w-[min(40rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-0 text-ink shadow-float"
    >
      <div className="flex items-center gap-3 border-b border-line pr-2 pl-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <input
          id="search-field"
          type="text"
          enterKeyHint="search"
          role="combobox"
          aria-label="Search the documentation"
          aria-expanded="false"
          aria-controls="search-results"
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Search the documentation"
          className="h-12 min-w-0 flex-1 bg-transparent text-prose outline-none placeholder:text-muted"
        />
        <button type="button" data-search-close className={buttonClass({ look: 'quiet', size: 'small' })}>
          Close
        </button>
      </div>
      <p id="search-status" role="status" className="px-4 py-3 text-muted">
        Type to search guides, endpoints and errors.
      </p>
      <div
        id="search-results"
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="max-h-[60vh] overflow-y-auto px-2 pb-2 empty:hidden"
      />
      <p className="hidden gap-4 border-t border-line px-4 py-2 text-small text-muted md:flex pointer-coarse:hidden">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> to choose
        </span>
        <span>
          <kbd>Enter</kbd> to open
        </span>
        <span>
          <kbd>Esc</kbd> to close
        </span>
      </p>
    </dialog>
  )
}
