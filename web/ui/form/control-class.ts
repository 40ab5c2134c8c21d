/** Classes of text fields. */
export const controlClass =
  'h-9 w-full rounded-control border border-line-strong bg-surface px-3 text-body text-ink placeholder:text-muted disabled:bg-sunken disabled:text-muted aria-invalid:border-danger pointer-coarse:h-11 pointer-coarse:text-prose'

/** Of selects: the arrow has its own room. */
export const selectClass = `${controlClass} select pr-8`
