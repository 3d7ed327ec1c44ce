// The kinds of server apps: what their build looks like and how it starts. The order is that of detection.
export interface ServerFramework {
  /** As people read it. */
  name: string
  /** Paths that are all there; a folder ends with `/`. Undefined if the start script decides. */
  marks: readonly string[] | undefined
  /** Undefined if a file of the deployment says it. */
  command: readonly [string, ...string[]] | undefined
}

export const serverFrameworks = {
  procfile: { name: 'Procfile', marks: ['Procfile'], command: undefined },
  package: { name: 'package.json', marks: ['package.json'], command: undefined },
  next: { name: 'Next.js standalone', marks: ['server.js', '.next/'], command: ['node', 'server.js'] },
  nitro: {
    name: 'Nitro',
    marks: ['nitro.json', 'server/index.mjs'],
    command: ['node', 'server/index.mjs'],
  },
  sveltekit: { name: 'SvelteKit', marks: ['index.js', 'handler.js'], command: ['node', 'index.js'] },
  astro: { name: 'Astro', marks: ['server/entry.mjs'], command: ['node', 'server/entry.mjs'] },
  'next-start': { name: 'Next.js', marks: undefined, command: undefined },
  'react-router': { name: 'React Router', marks: undefined, command: undefined },
  start: { name: 'Node.js', marks: undefined, command: undefined },
} as const satisfies Record<string, ServerFramework>

export type FrameworkId = keyof typeof serverFrameworks
