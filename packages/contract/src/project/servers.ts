// The kinds of servers that a deployment may be, as data: how one is recognized by its files, and how it starts.

export interface ServerFramework {
  /** The name to show to people. */
  name: string
  /** Paths that such a deployment has. A folder ends with `/`. `undefined` if the start script decides. */
  marks: readonly string[] | undefined
  /** The command that starts the server. `undefined` if a file of the deployment says it. */
  command: readonly [string, ...string[]] | undefined
  /** Whether its build contains the packages that it needs. */
  isBundled?: boolean
  /** Whether a server that the author wrote may have the same marks. The start script then starts it. */
  mayBeOwn?: boolean
}

/** The kinds of server apps, in the order of detection. */
export const serverFrameworks = {
  procfile: { name: 'Procfile', marks: ['Procfile'], command: undefined },
  package: { name: 'package.json', marks: ['package.json'], command: undefined },
  next: {
    name: 'Next.js standalone',
    marks: ['server.js', '.next/'],
    command: ['node', 'server.js'],
    mayBeOwn: true,
  },
  nitro: {
    name: 'Nitro',
    marks: ['nitro.json', 'server/index.mjs'],
    command: ['node', 'server/index.mjs'],
    isBundled: true,
  },
  sveltekit: {
    name: 'SvelteKit',
    marks: ['index.js', 'handler.js'],
    command: ['node', 'index.js'],
    isBundled: true,
  },
  astro: {
    name: 'Astro',
    marks: ['server/entry.mjs'],
    command: ['node', 'server/entry.mjs'],
    isBundled: true,
  },
  angular: {
    name: 'Angular',
    marks: ['server/server.mjs', 'server/angular-app-engine-manifest.mjs'],
    command: ['node', 'server/server.mjs'],
    isBundled: true,
  },
  'next-start': { name: 'Next.js', marks: undefined, command: undefined },
  'react-router': { name: 'React Router', marks: undefined, command: undefined },
  start: { name: 'Node.js', marks: undefined, command: undefined },
  dockerfile: { name: 'Dockerfile', marks: undefined, command: undefined },
} as const satisfies Record<string, ServerFramework>

/** A project that depends on one of these packages is a server. */
export const serverPackages = [
  'express',
  'fastify',
  'koa',
  'hono',
  '@hono/node-server',
  '@nestjs/core',
  '@hapi/hapi',
  'polka',
] as const

export type FrameworkId = keyof typeof serverFrameworks
