// The commands of environment variables.
import { onProject } from '../../command.ts'

export const envCommands = onProject('Settings', {
  env: {
    summary: 'List environment variables',
    options: ['show', 'json'],
    isList: true,
    details:
      'Scopes other than runtime are marked [build] or [both]; variables of one environment or one branch [production], [preview] or [branch <name>]; those whose value cannot be read [secret]. A terminal shows the first characters of values, and all of them with --show. Line breaks and control characters are escaped; --json has values as they are.',
    load: async () => (await import('./env.ts')).listEnv,
  },
  'env set': {
    summary: 'Set variables; `KEY -` reads stdin',
    args: ['<KEY=value...>'],
    options: ['scope', 'environment', 'branch', 'secret'],
    details:
      'With --environment or --branch it is set only for production, for previews or for the previews of one branch. The most specific one counts. Without --scope a variable keeps the scope it has; a new one gets runtime: it is there when the server starts. build is for git builds, both for both. What a shell keeps in its history is better read from stdin: svc env set KEY - < secret.txt',
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
  'env pull': {
    summary: 'Write the variables into a dotenv file (.env)',
    args: ['[file]'],
    options: ['environment', 'branch', 'yes'],
    details:
      'Writes what production gets; with --environment preview or --branch what previews get. Only you can read the file (mode 0600). Secret variables are named as comments. A file that exists is replaced only with --yes.',
    load: async () => (await import('./pull.ts')).pullEnv,
  },
  dev: {
    summary: 'Run the dev server with the variables',
    args: ['[command...]'],
    options: ['environment', 'branch'],
    details:
      'Runs the script dev, develop or start of package.json on this computer, or the command that you name: svc dev -- node server.js. It gets the variables of previews; with --environment production those of production. A variable that your shell sets counts more. Secret variables cannot be read, and are named. Its exit code is that of svc.',
    load: async () => (await import('./dev.ts')).dev,
  },
  'env rm': {
    summary: 'Remove a variable',
    args: ['<KEY>'],
    options: ['environment', 'branch'],
    details: 'Removes all variables of the key, or with --environment or --branch only that one.',
    aliases: ['remove', 'delete'],
    load: async () => (await import('./env.ts')).removeEnv,
    candidates: async () => (await import('../candidates.ts')).variableCandidates,
  },
})
