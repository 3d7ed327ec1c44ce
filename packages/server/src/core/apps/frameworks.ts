// The server frameworks that the platform knows: what their build looks like, how it starts, and which of its files
// the edge serves itself.

/** Files of a deployment that visitors may have, by where they lie and where visitors ask for them. */
export interface AssetRule {
  /** Such as `.next/static/`. */
  dir: string
  /** Such as `/_next/static/`. */
  at: string
}

export interface Framework {
  /** As people read it. */
  name: string
  /** Paths of its build, all of which are there; a directory ends with `/`. */
  marks: readonly string[]
  /** Undefined where a file of the deployment says it. */
  command: readonly [string, ...string[]] | undefined
  assets: readonly AssetRule[]
  /** Directories that it writes to while it runs. */
  scratch: readonly string[]
  /** Variables that its servers need behind a reverse proxy. Variables of the project win. */
  env?: Readonly<Record<string, string>>
  /** What to do when the app needs a package that was not deployed. */
  missingPackage: string
}

const withNodeModules =
  "'svc deploy' leaves node_modules out: deploy with --node-modules, or bundle the packages into the build."

/** In the order in which they are looked for. */
export const frameworks = {
  procfile: {
    name: 'Procfile',
    marks: ['Procfile'],
    command: undefined,
    assets: [],
    scratch: [],
    missingPackage: withNodeModules,
  },
  package: {
    name: 'package.json',
    marks: ['package.json'],
    command: undefined,
    assets: [],
    scratch: [],
    missingPackage: withNodeModules,
  },
  next: {
    name: 'Next.js standalone',
    marks: ['server.js', '.next/'],
    command: ['node', 'server.js'],
    assets: [
      { dir: '.next/static/', at: '/_next/static/' },
      { dir: 'public/', at: '/' },
    ],
    scratch: ['.next/cache'],
    missingPackage:
      "Build with output: 'standalone' in next.config and deploy with 'svc deploy .next/standalone --node-modules'.",
  },
  nitro: {
    name: 'Nitro',
    marks: ['nitro.json', 'server/index.mjs'],
    command: ['node', 'server/index.mjs'],
    assets: [{ dir: 'public/', at: '/' }],
    scratch: [],
    missingPackage: "Deploy with 'svc deploy .output --node-modules'.",
  },
  sveltekit: {
    name: 'SvelteKit',
    marks: ['index.js', 'handler.js'],
    command: ['node', 'index.js'],
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
    name: 'Astro',
    marks: ['server/entry.mjs'],
    command: ['node', 'server/entry.mjs'],
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
    missingPackage:
      'Set vite: { ssr: { noExternal: true } } in astro.config.mjs, so that packages become part of the build, and build again.',
  },
} as const satisfies Record<string, Framework>

export type FrameworkId = keyof typeof frameworks

/** Undefined for static deployments, and for a framework that a newer version knows. */
export function frameworkOf(id: string | null): Framework | undefined {
  return id !== null && Object.hasOwn(frameworks, id) ? frameworks[id as FrameworkId] : undefined
}
