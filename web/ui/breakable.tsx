import type { ReactNode } from 'react'

/** Code that wraps: a long address breaks after a slash and before its parameters, not within a word. */
export const breakable = (code: string): ReactNode =>
  code
    .split(/(?<=[^:/\s]\/)(?=\w)|(?<=\S)(?=[?&]\w)/)
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    .flatMap((part, index) => (index > 0 ? [<wbr key={index} />, part] : part))
