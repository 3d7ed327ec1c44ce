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
}

/** In the order in which they are looked for. */
export const frameworks = {
  procfile: { name: 'Procfile', marks: ['Procfile'], command: undefined, assets: [], scratch: [] },
  package: { name: 'package.json', marks: ['package.json'], command: undefined, assets: [], scratch: [] },
  next: {
    name: 'Next.js standalone',
    marks: ['server.js', '.next/'],
    command: ['node', 'server.js'],
    assets: [
      { dir: '.next/static/', at: '/_next/static/' },
      { dir: 'public/', at: '/' },
    ],
    scratch: ['.next/cache'],
  },
  nitro: {
    name: 'Nitro',
    marks: ['nitro.json', 'server/index.mjs'],
    command: ['node', 'server/index.mjs'],
    assets: [{ dir: 'public/', at: '/' }],
    scratch: [],
  },
  sveltekit: {
    name: 'SvelteKit',
    marks: ['index.js', 'handler.js'],
    command: ['node', 'index.js'],
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
  },
  astro: {
    name: 'Astro',
    marks: ['server/entry.mjs'],
    command: ['node', 'server/entry.mjs'],
    assets: [{ dir: 'client/', at: '/' }],
    scratch: [],
  },
} as const satisfies Record<string, Framework>

export type FrameworkId = keyof typeof frameworks

/** Undefined for static deployments, and for a framework that a newer version knows. */
export function frameworkOf(id: string | null): Framework | undefined {
  return id !== null && Object.hasOwn(frameworks, id) ? frameworks[id as FrameworkId] : undefined
}
