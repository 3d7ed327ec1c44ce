// What `svc import --dry-run --project site-1` prints for the projects of projects.ts, as a whole.

export const reports = {
  nextDocs: `Import from Vercel
Read: .env.production, vercel.json, package.json, next.config.mjs

Will be different:
  - vercel.json redirects[2] (/blog/:year(\\d{4})/:slug): Not translated: a path cannot be limited by the expression (\\d{4}).
  - vercel.json redirects[5] (/beta): Not translated: the condition 'has cookie' has no counterpart.
  - rewrites: One rewrite is left out: this project builds a server, and there the app answers. Put them into the configuration of the framework: /sitemap.xml
  - headers: This project builds a server: _headers applies to its static files. For the pages of the app set them in the framework.

For your information:
  - .env.local: not read: it is for this machine or for development. To set its variables in production: svc env import .env.local
  - vercel.json: regions: the platform runs where its operator runs it.
  - vercel.json functions (app/api/search/route.ts): maxDuration, memory: limits of functions have no counterpart. A server app has the limits of the platform.
  - crons: Vercel proves a request by CRON_SECRET in the Authorization header. Here requests are signed: check X-Svc-Signature with SVC_CRON_SECRET.
  - next.config.mjs: redirects: Next.js applies them itself, so they are not translated.
  - package.json: engines.node: 22.x. The platform takes a version that fits; 'svc projects node' lists what it has.

Plan
  project     site-1
  framework   Next.js (server app)
  repository  none: this directory is in no git repository
  variables   1 variable
    NEXT_PUBLIC_SITE_URL [both] from .env.production
  crons       1 job
    0 3 * * *  /api/reindex
  public/_redirects is written:
    /docs/v1/* /docs/:splat 308!
    /api-reference /docs/api 301!
    /search q=:term /docs/search/:term 307!
    https://www.acme.dev/* https://acme.dev/:splat 308!
  public/_headers is written:
    /*
      X-Content-Type-Options: nosniff
      Referrer-Policy: strict-origin-when-cross-origin

Dry run: nothing was created or written.
`,
  viteApp: `Import from Vercel
Read: .env, vercel.json, package.json

Will be different:
  - vercel.json: trailingSlash: false has no counterpart. Here the files decide: a.html is shown at /a, a/index.html at /a/.
  - vercel.json headers[1] (/:file(favicon.ico|robots.txt)): The header Set-Cookie is left out: the platform sets it itself.
  - vercel.json: git.deploymentEnabled: previews are on for all branches or none here, so dependabot/** will be built, too.
  - vercel.json rewrites[0] (/ph/:path*): Not translated: it shows another site, and this platform proxies none. Redirect to it, or call it directly.
  - api: api/checkout.ts will not run: there are no functions here. Serve these paths from a server app instead: a program that listens on PORT, started by a Procfile ('web: node server.js').

Plan
  project     site-1
  framework   Vite
  repository  none: this directory is in no git repository
  variables   2 variables
    VITE_API_URL [both] from .env
    VITE_STRIPE_KEY [both] from .env
  public/_redirects is written:
    /shop/:category/:item /:category/:item 308!
    /*/index.html /:splat 308!
    /*.html /:splat 308!
    /api/* /api/:splat 200
    /* /index.html 200
  public/_headers is written:
    /assets/*
      Cache-Control: public, max-age=31536000, immutable
    /favicon.ico
      ! Cache-Control
      Cache-Control: public, max-age=3600
    /robots.txt
      ! Cache-Control
      Cache-Control: public, max-age=3600

Dry run: nothing was created or written.
`,
  monorepo: `Import from Vercel
Read: .vercel/project.json, .vercel/.env.production.local, apps/web/vercel.json, apps/web/package.json

Will be different:
  - apps/web/vercel.json: ignoreCommand does not run here. A commit with [skip svc] in its message is not built, and with a root folder ('svc git connect --root') only changes in it are.
  - apps/web/vercel.json: images: /_vercel/image does not exist here. Next.js optimises images itself; other sites need images in their final size.
  - apps/web/package.json: @astrojs/vercel builds for another platform. Use @astrojs/node for a server, or no adapter for a static site.

For your information:
  - variables: Skipped, since a platform sets them: VERCEL_ENV, TURBO_TEAM

Plan
  project     site-1
  framework   Astro
  folder      apps/web
  build       cd ../.. && pnpm turbo build --filter=web
  output      dist
  repository  none: this directory is in no git repository
  variables   1 variable
    PUBLIC_CMS [both] from .vercel/.env.production.local
  apps/web/public/_redirects is written:
    /en/start /en/ 307!
    /de/start /de/ 307!
    /feed /rss.xml 308!

Dry run: nothing was created or written.
`,
  hugoDocs: `Import from Netlify
Read: netlify.toml

Will be different:
  - netlify.toml: context.split1: previews are built like production here, so command is left out.
  - netlify.toml: context.deploy-preview: previews are built like production here, so command, environment.HUGO_VERSION are left out.
  - build command: It runs hugo, which the machine that builds may not have. Add the npm package hugo-extended, or build on your own machine and run 'svc deploy public'.

For your information:
  - netlify.toml: HUGO_VERSION=0.140.2: left out, since it chooses tools of Netlify's build image. Builds here run with the platform's own Node.js.

Plan
  project     site-1
  framework   Hugo
  build       hugo --gc --minify
  output      public
  repository  none: this directory is in no git repository
  variables   2 variables
    HUGO_ENV [build] from netlify.toml
    HUGO_ENABLEGITINFO [build] from netlify.toml
  static/_redirects is written:
    /npmjs/* /npm/:splat 301
    /latest/* /v2/:splat 302!
    /* /404.html 404
  static/_headers is written:
    /*
      X-Frame-Options: DENY
      Content-Security-Policy: default-src 'self'; img-src 'self' data:
    /fonts/*
      Access-Control-Allow-Origin: *

Dry run: nothing was created or written.
`,
  gatsbySite: `Import from Netlify
Read: netlify.toml, package.json, static/_redirects

Will be different:
  - netlify.toml: build.ignore does not run here. A commit with [skip svc] in its message is not built, and with a root folder only changes in it are.
  - netlify.toml redirects[1] (/): Not translated: the condition Language has no counterpart.
  - netlify.toml: plugins: netlify-plugin-submit-sitemap does not run here. Do its work in the build command.

For your information:
  - netlify.toml: NODE_VERSION=20: left out, since it chooses tools of Netlify's build image. Builds here run with the platform's own Node.js.
  - netlify.toml: plugins: @netlify/plugin-gatsby is not needed here.
  - package.json: engines.node: >=18. The platform takes a version that fits; 'svc projects node' lists what it has.

Plan
  project     site-1
  framework   Gatsby
  build       npm run build
  output      public
  repository  none: this directory is in no git repository
  variables   1 variable
    GATSBY_CMS [build] from netlify.toml
  static/_redirects exists and keeps its lines; these are added below them:
    /store id=:id /products/:id 301
  static/_headers is written:
    /staging/*
      Basic-Auth: [secret]

Dry run: nothing was created or written.
`,
  spaWithFunctions: `Import from Netlify
Read: netlify.toml, .env, package.json, public/_redirects

Will be different:
  - netlify/functions: netlify/functions/contact.mts, netlify/functions/nightly.mts will not run: there are no functions here. Serve these paths from a server app instead: a program that listens on PORT, started by a Procfile ('web: node server.js').
  - netlify.toml functions (nightly): The scheduled function is not imported: it has no path that could be requested. Once a server app answers one: svc cron add "0 0 * * *" /path
  - netlify.toml redirects[0] (/cms/*): Not translated: 'headers' are for a proxy, and this platform proxies no other site.
  - public/_redirects line 1: The rule leads to a function or a service of Netlify, and none runs here. Visitors get a missing page.

For your information:
  - variables: Skipped, since a platform sets them: SITE_NAME

Plan
  project     site-1
  framework   Vite
  build       npm run build
  output      dist
  repository  none: this directory is in no git repository
  variables   1 variable
    SENDGRID_KEY [both] from .env
  public/_redirects exists and keeps its lines; these are added below them:
    /old-app/* /:splat 301

Dry run: nothing was created or written.
`,
}
