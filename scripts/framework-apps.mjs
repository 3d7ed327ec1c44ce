// One small app for each framework that the platform knows: its sources, how it is built, and what visitors then see.
// scripts/frameworks.mjs deploys and visits them.
export const frameworks = {
  procfile: {
    is: 'Procfile',
    files: {
      Procfile: 'web: node app.mjs\n',
      'app.mjs': `import { createServer } from 'node:http'
createServer((req, res) => res.end('hello from a Procfile')).listen(process.env.PORT, process.env.HOSTNAME)
`,
    },
    output: '.',
    pages: { '/': 'hello from a Procfile' },
  },
  next: {
    is: 'Next.js standalone',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    files: {
      'next.config.mjs': `export default { output: 'standalone', outputFileTracingRoot: import.meta.dirname }\n`,
      'app/layout.jsx': `export default ({ children }) => <html><body>{children}</body></html>\n`,
      'app/page.jsx': `export const dynamic = 'force-dynamic'
export default () => <p>hello from {process.env.SVC_PROJECT}</p>\n`,
      'app/go/route.js': `import { NextResponse } from 'next/server'
export const GET = req => NextResponse.redirect(new URL('/login', req.url))\n`,
      'proxy.js': `import { NextResponse } from 'next/server'
export const proxy = req => NextResponse.redirect(new URL('/login', req.url))
export const config = { matcher: '/private' }\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [
      ['npx', 'next', 'build'],
      ['cp', '-r', '.next/static', '.next/standalone/.next/static'],
      ['cp', '-r', 'public', '.next/standalone/public'],
    ],
    output: '.next/standalone',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    redirects: { '/go': '/login', '/private': '/login' },
  },
  nitro3: {
    is: 'Nitro',
    packages: ['nitro@3', 'rolldown@1'],
    files: {
      'routes/index.ts': `export default () => 'hello from ' + process.env.SVC_PROJECT\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'nitro', 'build', '--preset', 'node_server']],
    output: '.output',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
  },
  nitro: {
    is: 'Nitro',
    packages: ['nitropack@2'],
    files: {
      'nitro.config.ts': `export default { srcDir: 'server', publicAssets: [{ dir: '../public' }], compatibilityDate: '2025-01-01' }\n`,
      'server/routes/index.ts': `export default defineEventHandler(() => 'hello from ' + process.env.SVC_PROJECT)\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'nitro', 'build']],
    output: '.output',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
  },
  sveltekit: {
    is: 'SvelteKit',
    // What is a dependency for running is not made part of the build.
    save: '--save-dev',
    packages: [
      '@sveltejs/kit@2',
      '@sveltejs/adapter-node@5',
      '@sveltejs/vite-plugin-svelte@5',
      'svelte@5',
      'vite@6',
    ],
    files: {
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'\nexport default { kit: { adapter: adapter() } }\n`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n`,
      'src/app.html': `<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n`,
      'src/routes/+page.server.js': `export const load = ({ url, getClientAddress }) =>
  ({ project: process.env.SVC_PROJECT, at: url.origin, visitor: getClientAddress() })
export const actions = { default: async ({ request }) => ({ word: (await request.formData()).get('word') }) }\n`,
      'src/routes/+page.svelte': `<script>let { data, form } = $props()</script>
<p>hello from {data.project} at {data.at} to {data.visitor}: {form?.word}</p>\n`,
      'static/note.txt': 'a file of its own',
    },
    build: [['npx', 'vite', 'build']],
    output: 'build',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    form: origin => `at ${origin} to 127.0.0.1: hi`,
  },
  astro: {
    is: 'Astro',
    packages: ['astro@5', '@astrojs/node@9'],
    files: {
      'astro.config.mjs': `import node from '@astrojs/node'\nexport default { output: 'server', adapter: node({ mode: 'standalone' }), vite: { ssr: { noExternal: true } }, security: { allowedDomains: [{}] } }\n`,
      'src/pages/index.astro': `---
const word = Astro.request.method === 'POST' ? (await Astro.request.formData()).get('word') : ''
---
<html><body><p>hello from {process.env.SVC_PROJECT} at {Astro.url.origin} to {Astro.clientAddress}: {word}</p></body></html>\n`,
      'src/pages/go.astro': `---\nreturn Astro.redirect(new URL('/login', Astro.url).href)\n---\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'astro', 'build']],
    output: 'dist',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    redirects: { '/go': '/login' },
    form: origin => `at ${origin} to 127.0.0.1: hi`,
  },
  'pnpm-next': {
    is: 'Next.js standalone',
    manager: 'pnpm',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    files: {
      'next.config.mjs': `export default { output: 'standalone', outputFileTracingRoot: import.meta.dirname }\n`,
      'app/layout.jsx': `export default ({ children }) => <html><body>{children}</body></html>\n`,
      'app/page.jsx': `export const dynamic = 'force-dynamic'
export default () => <p>hello from {process.env.SVC_PROJECT}</p>\n`,
    },
    build: [
      ['npx', 'next', 'build'],
      ['cp', '-r', '.next/static', '.next/standalone/.next/static'],
    ],
    output: '.next/standalone',
    pages: { '/': 'hello from' },
  },
  'pnpm-express': {
    is: 'Node.js',
    manager: 'pnpm',
    packages: ['express@5'],
    scripts: { start: 'node app.js' },
    files: {
      'app.js': `import express from 'express'
express().get('/', (req, res) => res.send('hello from Express')).listen(process.env.PORT, process.env.HOSTNAME)\n`,
    },
    output: '.',
    pages: { '/': 'hello from Express' },
    hidden: ['/app.js', '/package.json'],
  },
  'npm-start': {
    is: 'Procfile',
    packages: ['fastify@5', 'fastify-cli@7'],
    scripts: { start: 'fastify start app.js' },
    files: {
      Procfile: 'web: npm start\n',
      'app.js': `export default async (app, options) => app.get('/', () => 'hello from Fastify')\n`,
    },
    output: '.',
    pages: { '/': 'hello from Fastify' },
  },
  'react-router': {
    is: 'React Router',
    packages: [
      'react-router@7.18.4',
      '@react-router/dev@7.18.4',
      '@react-router/node@7.18.4',
      '@react-router/serve@7.18.4',
      'react@19',
      'react-dom@19',
      'isbot@5',
      'vite@6',
    ],
    scripts: { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
    files: {
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n`,
      'app/root.jsx': `import { Outlet, Scripts } from 'react-router'
export default () => <html><body><Outlet /><Scripts /></body></html>\n`,
      'app/routes.js': `import { index } from '@react-router/dev/routes'\nexport default [index('home.jsx')]\n`,
      'app/home.jsx': `export const loader = () => process.env.SVC_PROJECT
export default ({ loaderData }) => <p>hello from {loaderData}</p>\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [
      ['npx', 'react-router', 'build'],
      // Other programs that were only needed for the build, so that the app keeps to the limit of 10,000 files.
      ['npm', 'uninstall', '@react-router/dev', 'vite'],
    ],
    output: '.',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    hidden: ['/package.json'],
  },
}
