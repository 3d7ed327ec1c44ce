// Configurations in the shape of real projects, for tests.

type Files = Record<string, string>

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** A documentation site with Next.js: a server app, redirects kept from an older site, a nightly job. */
const nextDocs: Files = {
  'package.json': json({
    name: 'acme-docs',
    private: true,
    scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
    dependencies: { next: '15.1.0', react: '19.0.0', 'react-dom': '19.0.0' },
    engines: { node: '22.x' },
  }),
  'next.config.mjs': `export default {
  output: 'standalone',
  async redirects() {
    return [{ source: '/intro', destination: '/docs', permanent: true }]
  },
}
`,
  'vercel.json': json({
    $schema: 'https://openapi.vercel.sh/vercel.json',
    regions: ['iad1', 'fra1'],
    functions: { 'app/api/search/route.ts': { maxDuration: 30, memory: 1024 } },
    crons: [{ path: '/api/reindex', schedule: '0 3 * * *' }],
    redirects: [
      { source: '/docs/v1/:path*', destination: '/docs/:path*', permanent: true },
      { source: '/api-reference', destination: '/docs/api', statusCode: 301 },
      { source: '/blog/:year(\\d{4})/:slug', destination: '/blog/:slug', permanent: true },
      {
        source: '/search',
        has: [{ type: 'query', key: 'q', value: '(?<term>.*)' }],
        destination: '/docs/search/:term',
        permanent: false,
      },
      {
        source: '/:path*',
        has: [{ type: 'host', value: 'www.acme.dev' }],
        destination: 'https://acme.dev/:path*',
        permanent: true,
      },
      {
        source: '/beta',
        has: [{ type: 'cookie', key: 'beta', value: 'true' }],
        destination: '/docs/beta',
        permanent: false,
      },
    ],
    rewrites: [{ source: '/sitemap.xml', destination: '/api/sitemap' }],
    headers: [
      {
        source: '/(.*)',
        headers: [
          { key: 'X-Content-Type-Options', value: 'nosniff' },
          { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
        ],
      },
    ],
  }),
  '.env.production': 'NEXT_PUBLIC_SITE_URL=https://acme.dev\n',
  '.env.local': 'DATABASE_URL=postgres://localhost/dev\n',
}

/** A single-page app with Vite and a folder of functions. */
const viteApp: Files = {
  'package.json': json({
    name: 'shop',
    scripts: { build: 'tsc -b && vite build' },
    dependencies: { react: '^19.0.0' },
    devDependencies: { vite: '^6.0.0', typescript: '^5.7.0' },
  }),
  'index.html': '<div id="root"></div><script type="module" src="/src/main.tsx"></script>',
  'api/checkout.ts': 'export default function handler(req, res) { res.json({ ok: true }) }\n',
  'api/_lib/stripe.ts': 'export const stripe = 1\n',
  'vercel.json': json({
    framework: 'vite',
    cleanUrls: true,
    trailingSlash: false,
    redirects: [{ source: '/shop/:category/:item', destination: '/:category/:item' }],
    rewrites: [
      { source: '/ph/:path*', destination: 'https://eu.i.posthog.com/:path*' },
      { source: '/((?!api/.*).*)', destination: '/index.html' },
    ],
    headers: [
      {
        source: '/assets/(.*)',
        headers: [{ key: 'Cache-Control', value: 'public, max-age=31536000, immutable' }],
      },
      {
        source: '/:file(favicon.ico|robots.txt)',
        headers: [
          { key: 'Cache-Control', value: 'public, max-age=3600' },
          { key: 'Set-Cookie', value: 'a=b' },
        ],
      },
    ],
    git: { deploymentEnabled: { 'dependabot/**': false } },
  }),
  '.env': 'VITE_API_URL=/api\nVITE_STRIPE_KEY=pk_live_1\n',
}

/** A monorepo: the site is a folder of it, linked by the Vercel command line. */
const monorepo: Files = {
  'package.json': json({
    name: 'platform',
    private: true,
    packageManager: 'pnpm@9.15.0',
    workspaces: ['apps/*'],
  }),
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
  'turbo.json': '{}',
  '.vercel/project.json': json({
    projectId: 'prj_monorepo',
    orgId: 'team_acme',
    settings: {
      framework: 'astro',
      buildCommand: 'cd ../.. && pnpm turbo build --filter=web',
      installCommand: null,
      outputDirectory: 'dist',
      rootDirectory: 'apps/web',
      nodeVersion: '22.x',
    },
  }),
  '.vercel/.env.production.local':
    '# Created by Vercel CLI\nPUBLIC_CMS="https://cms.acme.dev"\nVERCEL_ENV="production"\nTURBO_TEAM="acme"\n',
  'apps/web/package.json': json({
    name: 'web',
    scripts: { build: 'astro build' },
    dependencies: { astro: '^5.0.0', '@astrojs/vercel': '^8.0.0' },
  }),
  'apps/web/vercel.json': json({
    ignoreCommand: 'npx turbo-ignore',
    redirects: [
      { source: '/:lang(en|de)/start', destination: '/:lang/', permanent: false },
      { source: '/feed', destination: '/rss.xml', permanent: true },
    ],
    images: { sizes: [640], domains: ['cms.acme.dev'] },
  }),
}

/** Documentation with Hugo, as Netlify's templates have it. */
const hugoDocs: Files = {
  'hugo.toml': "baseURL = 'https://docs.acme.dev/'\n",
  'netlify.toml': `[build]
publish = "public"
command = "hugo --gc --minify"

[context.production.environment]
HUGO_VERSION = "0.140.2"
HUGO_ENV = "production"
HUGO_ENABLEGITINFO = "true"

[context.split1]
command = "hugo --gc --minify --enableGitInfo"

[context.deploy-preview]
command = "hugo --gc --minify --buildFuture -b $DEPLOY_PRIME_URL"

[context.deploy-preview.environment]
HUGO_VERSION = "0.140.2"

[[redirects]]
from = "/npmjs/*"
to = "/npm/:splat"

[[redirects]]
from = "/latest/*"
to = "/v2/:splat"
status = 302
force = true

[[redirects]]
from = "/*"
to = "/404.html"
status = 404

[[headers]]
for = "/*"
[headers.values]
X-Frame-Options = "DENY"
Content-Security-Policy = """
default-src 'self';
img-src 'self' data:"""

[[headers]]
for = "/fonts/*"
[headers.values]
Access-Control-Allow-Origin = "*"
`,
}

/** A Gatsby site with plugins and passwords for the staging pages. */
const gatsbySite: Files = {
  'package.json': json({
    name: 'magazine',
    scripts: { build: 'gatsby build' },
    dependencies: { gatsby: '^5.14.0', react: '^18.0.0' },
    engines: { node: '>=18' },
  }),
  'static/_redirects': '/about-us /about 301\n/shop/* https://shop.acme.dev/:splat 301!\n',
  'netlify.toml': `[build]
  command = "npm run build"
  publish = "public/"
  ignore = "git diff --quiet HEAD^ HEAD content/"

[build.environment]
  NODE_VERSION = "20"
  GATSBY_CMS = "https://cms.acme.dev"

[[plugins]]
  package = "@netlify/plugin-gatsby"

[[plugins]]
  package = "netlify-plugin-submit-sitemap"
  [plugins.inputs]
    baseUrl = "https://acme.dev"

[[redirects]]
  from = "/store"
  to = "/products/:id"
  query = { id = ":id" }

[[redirects]]
  from = "/"
  to = "/de/"
  status = 302
  conditions = { Language = ["de"] }

[[headers]]
  for = "/staging/*"
  [headers.values]
    Basic-Auth = "editor:change-me"
`,
}

/** A single-page app with functions and proxies. */
const spaWithFunctions: Files = {
  'package.json': json({
    name: 'crm',
    scripts: { build: 'vite build' },
    devDependencies: { vite: '^6.0.0' },
  }),
  'public/_redirects': '/api/* /.netlify/functions/:splat 200\n/* /index.html 200\n',
  'public/_headers': '/*\n  X-Frame-Options: DENY\n',
  'netlify/functions/contact.mts': 'export default async () => new Response("ok")\n',
  'netlify/functions/nightly.mts': 'export default async () => {}\n',
  'netlify.toml': `[build]
command = "npm run build"
publish = "dist"

[functions]
node_bundler = "esbuild"

[functions."nightly"]
schedule = "@daily"

[[redirects]]
from = "/cms/*"
to = "https://cms.acme.dev/:splat"
status = 200
headers = { X-From = "Netlify" }

[[redirects]]
from = "/old-app/*"
to = "/:splat"
status = 301

[dev]
framework = "#custom"
`,
  '.env': "SENDGRID_KEY='SG.1'\nSITE_NAME=crm\n",
}

export const realProjects = { nextDocs, viteApp, monorepo, hugoDocs, gatsbySite, spaWithFunctions }
