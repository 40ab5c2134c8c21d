import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Tab } from './tab.ts'

/** What the reader of the chat sees at its top edge. */
export interface ReadingPlace {
  messageId: string
  /** Of the message, from the top of the list. */
  offsetPx: number
}

/** Where the reader was in each tab. */
export interface Places {
  tabs: Map<string, number>
  /** null at the newest message. */
  chat: ReadingPlace | null
  /** The message being written. */
  draft: string
}

export const noPlaces = (): Places => ({ tabs: new Map(), chat: null, draft: '' })

/** Identifies a tab's box to the router, which would otherwise take the boxes of all tabs for the same one. */
export const scrollId = (tab: Tab) => ({ 'data-scroll-restoration-id': `playground-${tab}` })

/** The scroll position of a tab's box survives while other tabs are open. */
export function useKeptScroll({ tabs }: Places, tab: Tab): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const shown = box.current!
    shown.scrollTop = tabs.get(tab) ?? 0
    return () => {
      tabs.set(tab, shown.scrollTop)
    }
  }, [tabs, tab])
  return box
}
