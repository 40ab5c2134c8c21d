import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { dashboardChunks } from './scripts/build-chunks.ts'

/** Where the product server listens while `vite` serves the web with hot reload. */
const productUrl = `http://127.0.0.1:${process.env.PORT ?? 3000}`
const productPaths = ['/api', '/auth/v1', '/billing', '/v1', '/mcp', '/sandbox', '/config.json', '/openapi.json']

export default defineConfig(({ isSsrBuild }) => ({
  root: 'web',
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      // Loaders travel with their page: the HTTP client and the queries stay out of what every visitor loads.
      codeSplittingOptions: { defaultBehavior: [['loader', 'component'], ['errorComponent'], ['notFoundComponent']] },
      routesDirectory: './routes',
      generatedRouteTree: './routeTree.gen.ts',
      quoteStyle: 'single',
    }),
    react(),
    tailwind(),
  ],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // The CSS uses light-dark(); an older target would have it rewritten into twice the bytes.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A preload list in every chunk costs more than it saves here: route chunks are few and preloaded on intent.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Of a group's name only the beginning: the bundler adds every page that loads it.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        // The server loads one file. What every public page shares travels as one: a score of small files compresses worse.
        codeSplitting: isSsrBuild
          ? false
          : {
              groups: [
                {
                  name: 'core',
                  test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-router|router-core|history|react-store|store))\//,
                },
                {
                  name: 'public-frame',
                  test: /web\/(layout\/(in-main|public-layout|site-footer|site-header|header-frame|skip-link)|ui\/(logo|external-link|page-header|avatar|skip-link|skeleton|states|button|copy\/(use-copy|copy-text-button)|code-block|form\/control-class|icons\/(icon|public)|toast\/toast-store)|features\/(usage\/range|playground\/tab)|lib\/http\/api-error)\.tsx?$|node_modules\/(clsx|class-variance-authority)\//,
                },
                // The view of an answer, for the home page and the dashboard; what the dashboard and the playground share
                // with it comes first.
                { name: 'table', test: /web\/(ui\/(segments|table|icons\/answer)|lib\/visible)\.tsx?$/ },
                // What most pages share: alone, each would be a file of some hundred bytes.
                {
                  name: 'shared',
                  test: /contract\/currency\.ts$|web\/(ui\/badge|lib\/format|features\/(plans\/plan-price|auth\/pending))\.tsx?$/,
                  includeDependenciesRecursively: false,
                },
                {
                  name: 'plans',
                  test: /web\/features\/plans\/(plan-in|plan-terms|annual-price)\.tsx?$/,
                  includeDependenciesRecursively: false,
                },
                {
                  name: 'result',
                  test: /web\/features\/answer\/(read-table|json-|content-blocks|facts-line|comparison\.|telling|text)/,
                  includeDependenciesRecursively: false,
                },
                {
                  name: 'answer',
                  test: /web\/features\/answer\/(?!send-call)/,
                  includeDependenciesRecursively: false,
                },
                {
                  name: dashboardChunks(resolve(import.meta.dirname, 'web')),
                  debugName: 'dashboard, overview, billing',
                  includeDependenciesRecursively: false,
                },
              ],
            },
      },
    },
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(productPaths.map((path) => [path, { target: productUrl, changeOrigin: false }])),
  },
}))
