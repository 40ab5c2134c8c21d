/** What moves on a docs page, without React: everything here works on the HTML that the server sent. */
import './docs.css'
import { startCodeTabs } from './code-tabs.ts'
import { startCopying } from './copying.ts'
import { startHeader } from './header-session.ts'
import { startReaderKeys } from './reader-keys.ts'
import { startSearch } from './search.ts'

startHeader()
// The sidebar is longer than the screen: the current page's line is brought into view.
document.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
startCodeTabs()
const keys = startReaderKeys()
startCopying(keys)
startSearch()
