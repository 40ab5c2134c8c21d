import { visible } from '../visible.ts'

/** A value as formatted JSON, in a scrolling box. */
export function JsonBlock({ data }: { data: unknown }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-sunken p-3 font-mono text-small leading-5 -outline-offset-2"
    >
      {visible(JSON.stringify(data, null, 2))}
    </pre>
  )
}
