import { createRequire } from 'node:module'
import { routeRoles } from '@svc/contract/roles'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Puts the table of roles into the bundle as data: the endpoint rows that it is made of bring all schemas with them. */
function rolesAsData(): Plugin {
  const file = createRequire(import.meta.url).resolve('@svc/contract/roles')
  return {
    name: 'roles-as-data',
    load: id => (id === file ? `export const routeRoles = ${JSON.stringify(routeRoles)}` : undefined),
  }
}

/** Lets the browser load the font together with the styles, not after them. Every page needs its Latin letters. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter(file => /figtree-latin-wght-normal-[^/]+\.woff2$/.test(file))
        .map(file => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
          injectTo: 'head-prepend',
        })),
  }
}

export default defineConfig({
  plugins: [react(), rolesAsData(), preloadFont()],
  // Preact is a tenth of React's size, and does all that the dashboard needs.
  resolve: {
    alias: {
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  build: {
    // The dashboard's CSP allows no inline scripts, and files that stay files can be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // In one file the rules keep their order, whichever page is opened first.
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        // What pages share goes into one file instead of fifty. Packages that few pages need stay files of their own.
        manualChunks: id =>
          /\/dashboard\/src\/(components|upload|[^/]+$)|node_modules\/(?!qr\/|@simplewebauthn\/)/.test(id)
            ? 'shared'
            : undefined,
      },
    },
  },
})
