import './styles/app.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { holdInitialData, readInitialData } from './lib/initial-data.ts'
import { startSession } from './lib/session.ts'
import { canonicalAddress, loadSettings } from './lib/settings.ts'
import { followSignOut } from './lib/sign-out.ts'
import { createAppRouter } from './router.tsx'

const root = document.getElementById('root') as HTMLElement
const data = readInitialData()
// The script in the page has put the dashboard's frame in place of the visitor's page where a session is stored.
const session = root.dataset.drawnFor === 'checking' ? 'checking' : data?.session
if (data && session) holdInitialData({ ...data, session })
startSession()
followSignOut()
loadSettings().then(
  ({ publicUrl }) => {
    const address = canonicalAddress(new URL(location.href), publicUrl)
    if (address) location.replace(address)
    // A failure is the root route's to show.
  },
  () => {},
)

const router = createAppRouter()
const application = (
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>
)
// A page is drawn for its path alone: what an address asks for beyond it appears only here.
const takesOver = data !== null && root.hasChildNodes() && (location.search === '' || session === 'checking')
if (takesOver) {
  // Tells the router that the server drew this page, so that both draw the same boundaries.
  router.ssr = { manifest: undefined }
  await router.load()
  hydrateRoot(root, application)
} else {
  if (root.hasChildNodes()) await router.load()
  createRoot(root).render(application)
}
