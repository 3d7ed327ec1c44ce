// The commands of environment variables.
import { onProject } from '../../command.ts'

export const envCommands = onProject('Settings', {
  env: {
    summary: 'List environment variables',
    options: ['show', 'json'],
    isList: true,
    details:
      'Scopes other than runtime are marked [build] or [both]. A terminal shows the first characters of values, and all of them with --show. Line breaks and control characters are escaped; --json has values as they are.',
    load: async () => (await import('./env.ts')).listEnv,
  },
  'env set': {
    summary: 'Set variables; `KEY -` reads stdin',
    args: ['<KEY=value...>'],
    options: ['scope'],
    details:
      'Without --scope a variable keeps the scope it has; a new one gets runtime: it is there when the server starts. build is for git builds, both for both. What a shell keeps in its history is better read from stdin: svc env set KEY - < secret.txt',
    load: async () => (await import('./env.ts')).setEnv,
  },
  'env import': {
    summary: 'Set all variables of a dotenv file (.env)',
    args: ['[file]'],
    options: ['scope'],
    details:
      'Knows comments, export, quotes and values over several lines; expands nothing. Left out, and named: PORT, HOSTNAME, NODE_ENV, and what Vercel and Netlify inject. A file that cannot be understood is refused as a whole.',
    load: async () => (await import('./env.ts')).importEnv,
  },
  'env rm': {
    summary: 'Remove a variable',
    args: ['<KEY>'],
    aliases: ['remove', 'delete'],
    load: async () => (await import('./env.ts')).removeEnv,
  },
})
