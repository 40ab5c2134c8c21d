/** Classes of text fields and selects. */
export const controlClass =
  'h-9 w-full rounded-control border border-line-strong bg-surface px-3 text-body text-ink placeholder:text-mark disabled:bg-sunken disabled:text-muted aria-invalid:border-danger pointer-coarse:h-11 pointer-coarse:text-prose'
