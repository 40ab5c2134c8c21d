import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The operator's console: a build of its own, so that no byte of it reaches a customer. Only operators are served its files. */
export default defineConfig({
  root: 'web/operator',
  base: '/operator/',
  publicDir: false,
  plugins: [react(), tailwind()],
  build: {
    outDir: '../../dist/operator',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
