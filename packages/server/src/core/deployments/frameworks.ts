// The frameworks of server apps: which files the edge serves itself, which directories are writable, and which variables an
// app needs.
import { type FrameworkId, serverFrameworks } from '@svc/contract/project'

/** A directory of public files, and the URL path under which it is served. */
interface AssetRule {
  /** The directory, such as `.next/static/`. */
  dir: string
  /** The URL path, such as `/_next/static/`. */
  at: string
  /** Every file name there contains a hash of the content. */
  hashed?: boolean
}

interface Treatment {
  assets: readonly AssetRule[]
  /** Directories that it writes to while it runs. */
  scratch: readonly string[]
  /** Variables that its servers need behind a reverse proxy. Variables of the project win. */
  env?: Readonly<Record<string, string>>
  /** What else to do than `svc deploy --build` when the app needs a package that was not deployed. Follows `Or `. */
  missingPackage: string
}

export interface Framework extends Treatment {
  /** The name shown to users, such as `Next.js`. */
  name: string
}

const ownCommand: Treatment = {
  assets: [],
  scratch: [],
  missingPackage: 'deploy with --node-modules, which takes all packages.',
}

const next: Treatment = {
  assets: [
    { dir: '.next/static/', at: '/_next/static/' },
    { dir: 'public/', at: '/' },
  ],
  // Next.js 16.4 and newer keep the pages that they render again in the second one.
  scratch: ['.next/cache', '.next/server/route-cache'],
  missingPackage:
    "build with output: 'standalone' in next.config and deploy with 'svc deploy .next/standalone --node-modules'.",
}

const treatments: Record<FrameworkId, Treatment> = {
  procfile: ownCommand,
  package: ownCommand,
  next,
  nitro: {
    assets: [{ dir: 'public/', at: '/' }],
    scratch: [],
    missingPackage: "deploy with 'svc deploy .output --node-modules'.",
  },
  sveltekit: {
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
    // Without these, adapter-node assumes https for every request and refuses forms sent over http.
    env: {
      PROTOCOL_HEADER: 'x-forwarded-proto',
      HOST_HEADER: 'x-forwarded-host',
      ADDRESS_HEADER: 'x-forwarded-for',
    },
    missingPackage:
      "move the package to devDependencies, which adapter-node puts into the build ('npm install --save-dev <package>'), and build again.",
  },
  astro: {
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
    missingPackage:
      'set vite: { ssr: { noExternal: true } } in astro.config.mjs, so that packages become part of the build, and build again.',
  },
  angular: {
    assets: [{ dir: 'browser/', at: '/' }],
    scratch: [],
    // Without these, Angular answers 400 for every host. The edge passes on only requests for the site's own hosts.
    env: { NG_ALLOWED_HOSTS: '*', NG_TRUST_PROXY_HEADERS: 'x-forwarded-host,x-forwarded-proto' },
    missingPackage: 'remove the package from externalDependencies in angular.json and build again.',
  },
  'next-start': next,
  'react-router': {
    ...ownCommand,
    assets: [
      // The framework's own server sends the same caching headers for them.
      { dir: 'build/client/assets/', at: '/assets/', hashed: true },
      { dir: 'build/client/', at: '/' },
    ],
  },
  start: ownCommand,
  // The image has its files and its packages.
  dockerfile: { ...ownCommand, missingPackage: 'install the package in the Dockerfile, and push again.' },
}

const frameworks = new Map<string, Framework>(
  Object.entries(treatments).map(([id, treatment]) => [
    id,
    { ...treatment, name: serverFrameworks[id as FrameworkId].name },
  ]),
)

/** `undefined` for static deployments, and for a framework that a newer version knows. */
export const frameworkOf = (id: string | null): Framework | undefined => frameworks.get(id ?? '')
