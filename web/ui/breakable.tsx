import { Fragment, type ReactNode } from 'react'

/** Code that wraps: a long address breaks after a slash and before its parameters, not within a word. */
export const breakable = (code: string): ReactNode =>
  code.split(/(?<=[^:/\s]\/)(?=\w)|(?<=\S)(?=[?&]\w)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
