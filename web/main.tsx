import './styles/site.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { startSession } from './lib/auth/session.ts'
import { followSignOut } from './lib/auth/sign-out.ts'
import { fetchFont } from './lib/fetch-font.ts'
import { holdInitialData, readInitialData } from './lib/initial-data.ts'
import { canonicalAddress, loadSettings } from './lib/settings.ts'
import { createAppRouter } from './router.tsx'

const root = document.getElementById('root') as HTMLElement
const data = readInitialData()
// If a session is stored, the script in the page replaced the visitor's page by the dashboard's frame.
const session = root.dataset.drawnFor === 'checking' ? 'checking' : data?.session
if (data && session) holdInitialData({ ...data, session })
startSession()
followSignOut()
setTimeout(fetchFont, 2000)
loadSettings().then(
  ({ publicUrl }) => {
    const address = canonicalAddress(new URL(location.href), publicUrl)
    if (address) location.replace(address)
    // The root route shows failures.
  },
  () => {},
)

const router = createAppRouter()
const application = (
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>
)
// Pages are rendered by path alone: search parameters and fragment apply only here.
const takesOver = data !== null && root.hasChildNodes() && (location.search === '' || session === 'checking')
if (takesOver) {
  // Marks the page as server-rendered, so that both sides render the same boundaries.
  router.ssr = { manifest: undefined }
  await router.load()
  hydrateRoot(root, application)
} else {
  if (root.hasChildNodes()) await router.load()
  createRoot(root).render(application)
}
