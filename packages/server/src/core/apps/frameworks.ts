// What the platform does for each kind of server app: which of its files the edge serves itself, where it may write, and
// what it needs to know.
import { type FrameworkId, serverFrameworks } from '@svc/contract/site'

/** Files of a deployment that visitors may have, by where they lie and where visitors ask for them. */
export interface AssetRule {
  /** Such as `.next/static/`. */
  dir: string
  /** Such as `/_next/static/`. */
  at: string
  /** The build names every file there by its content. */
  hashed?: boolean
}

interface Treatment {
  assets: readonly AssetRule[]
  /** Directories that it writes to while it runs. */
  scratch: readonly string[]
  /** Variables that its servers need behind a reverse proxy. Variables of the project win. */
  env?: Readonly<Record<string, string>>
  /** What to do when the app needs a package that was not deployed. */
  missingPackage: string
}

export interface Framework extends Treatment {
  /** As people read it. */
  name: string
}

const ownCommand: Treatment = {
  assets: [],
  scratch: [],
  missingPackage:
    "'svc deploy' leaves node_modules out: deploy with --node-modules, or bundle the packages into the build.",
}

const next: Treatment = {
  assets: [
    { dir: '.next/static/', at: '/_next/static/' },
    { dir: 'public/', at: '/' },
  ],
  scratch: ['.next/cache'],
  missingPackage:
    "Build with output: 'standalone' in next.config and deploy with 'svc deploy .next/standalone --node-modules'.",
}

const treatments: Record<FrameworkId, Treatment> = {
  procfile: ownCommand,
  package: ownCommand,
  next,
  nitro: {
    assets: [{ dir: 'public/', at: '/' }],
    scratch: [],
    missingPackage: "Deploy with 'svc deploy .output --node-modules'.",
  },
  sveltekit: {
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
    // Without these adapter-node takes every request for one by https, and refuses forms that were sent by http.
    env: {
      PROTOCOL_HEADER: 'x-forwarded-proto',
      HOST_HEADER: 'x-forwarded-host',
      ADDRESS_HEADER: 'x-forwarded-for',
    },
    missingPackage:
      "adapter-node bundles only devDependencies: move the package there and build again ('npm install --save-dev <package>').",
  },
  astro: {
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
    missingPackage:
      'Set vite: { ssr: { noExternal: true } } in astro.config.mjs, so that packages become part of the build, and build again.',
  },
  'next-start': next,
  'react-router': {
    ...ownCommand,
    assets: [
      // As its own server says of them.
      { dir: 'build/client/assets/', at: '/assets/', hashed: true },
      { dir: 'build/client/', at: '/' },
    ],
  },
  start: ownCommand,
}

const frameworks = new Map<string, Framework>(
  Object.entries(treatments).map(([id, treatment]) => [
    id,
    { ...treatment, name: serverFrameworks[id as FrameworkId].name },
  ]),
)

/** `undefined` for static deployments, and for a framework that a newer version knows. */
export const frameworkOf = (id: string | null): Framework | undefined => frameworks.get(id ?? '')
