import { createContext } from 'react'

/** Whether a frame has already opened the page's `main`, which a page has once. */
export const InMain = createContext(false)
