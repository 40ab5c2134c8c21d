/** Behavior of a docs page, without React, on the HTML that the server sent. */
import './docs.css'
import './pages.css'
import { startCodeTabs } from './code-tabs.ts'
import { startCopying } from './copying.ts'
import { startHeader } from './header-session.ts'
import { startReaderKeys } from './reader-keys.ts'
import { startSearch } from './search.ts'

startHeader()
// The sidebar is longer than the screen: scroll the current page's entry into view.
document.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
startCodeTabs()
const keys = startReaderKeys()
startCopying(keys)
startSearch()
const form = document.querySelector<HTMLFormElement>('form[data-path]')
if (form) void import('./try/start-try.ts').then(({ startTry }) => startTry(form, keys))
