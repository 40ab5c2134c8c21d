/** The first tab stop: skips header and navigation. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60 focus:rounded-control focus:bg-ink focus:px-4 focus:py-2 focus:text-surface"
    >
      Skip to content
    </a>
  )
}
