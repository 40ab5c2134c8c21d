import './styles/app.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startSession } from './lib/session.ts'
import { canonicalAddress, loadSettings } from './lib/settings.ts'
import { router } from './router.tsx'

startSession()
loadSettings().then(
  ({ publicUrl }) => {
    const address = canonicalAddress(new URL(location.href), publicUrl)
    if (address) location.replace(address)
    // A failure is the root route's to show.
  },
  () => {},
)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
)
