// Finds out what the start script of a package.json starts: a server, or a development tool that serves sources.
import type { ProgramUses, ServerProgram } from './framework.ts'
import { frameworks } from './frameworks.ts'
import type { PackageJson } from './package-json.ts'
import type { FrameworkId } from './servers.ts'

/** Whether the project has a file. */
type Has = (path: string) => boolean | Promise<boolean>

type StartScript = Classified & { command: string }

type Classified = StartsServer | { starts: 'development' | 'unknown' }

interface StartsServer {
  starts: 'server'
  framework: FrameworkId
  /** The file that the command starts. `undefined` if it is missing or not known. */
  entry: string | undefined
  /** A file that the command needs and the deployment lacks. */
  missing: string | undefined
}

/** Scripts in the order in which they are tried. In Nest, `start` is a development tool by default. */
const scriptNames = ['start', 'start:prod', 'start:production']

/** Reads how the package starts. `undefined` if nothing says so. */
export async function readStart(manifest: PackageJson, has: Has): Promise<StartScript | undefined> {
  const found: StartScript[] = []
  for (const name of scriptNames) {
    const command = manifest.scripts.get(name)?.trim()
    if (command) found.push({ ...(await classify(command, manifest, has, 0)), command })
  }
  // npm runs server.js if there is no start script.
  if (found.length === 0 && (await has('server.js')))
    return { ...started('server.js'), command: 'node server.js' }
  return found.find(({ starts }) => starts === 'server') ?? found[0]
}

const runs: ServerProgram = { framework: 'start', needs: 'entry' }
const serves: ServerProgram = { framework: 'start', needs: undefined }

const servers: Record<string, ProgramUses> = {
  node: { '*': runs },
  nodemon: { '*': runs },
  tsx: { '*': runs },
  'ts-node': { '*': runs },
  'babel-node': { '*': runs },
  'pm2-runtime': { '*': runs },
  bun: { '*': runs },
  deno: { '*': serves },
  fastify: { start: serves, '*': 'development' },
  strapi: { start: serves, '*': 'development' },
  directus: { start: serves },
  medusa: { start: serves, '*': 'development' },
  keystone: { start: serves, '*': 'development' },
  sails: { lift: serves },
  micro: { '*': serves },
  'json-server': { '*': serves },
  'moleculer-runner': { '*': serves },
  ...Object.assign({}, ...frameworks.map(({ starts }) => starts)),
}

/** Development servers, build tools, and file servers. A static site needs none of them. */
const development = new Set([
  ...frameworks.flatMap(({ programs, starts = {} }) => programs.filter(program => !(program in starts))),
  ...`browser-sync electron electron-forge ember esbuild expo farm grunt gulp http-server lite-server live-server nest
   netlify poi preact rollup rsbuild rspack serve sirv snowpack start-storybook storybook swc tsc umi vercel
   waku webpack webpack-cli webpack-dev-server wrangler`.split(/\s+/),
])

/** Programs that run the command that follows them. */
const wrappers = new Set(['cross-env', 'cross-env-shell', 'env', 'exec', 'npx', 'bunx', 'dotenv', 'dotenvx'])
const scriptRunners = new Set(['npm', 'yarn', 'pnpm', 'bun'])
/** First arguments with which a package manager runs a program instead of a script. */
const passesOn = new Set(['exec', 'dlx', 'x', 'node'])

/** Flags of Node.js and nodemon whose value is the next word. */
const flagsWithValue = new Set(
  '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists -C --conditions --title -w --watch-path -e --ext -x --exec --tsconfig -P --project'.split(
    ' ',
  ),
)

const started = (entry: string): StartsServer => ({
  starts: 'server',
  framework: 'start',
  entry,
  missing: undefined,
})

/** Reads what a command starts, such as the `web:` line of a Procfile. */
export const readCommand = (line: string, manifest: PackageJson, has: Has): Promise<Classified> =>
  classify(line, manifest, has, 0)

/** Classifies a script by its last command, because only that one keeps running. */
async function classify(line: string, manifest: PackageJson, has: Has, depth: number): Promise<Classified> {
  const last = line.split(/&&|\|\||;/).at(-1) ?? ''
  const words = unwrap(last.replace(/["']/g, '').trim().split(/\s+/).slice(0, 100))
  const [program = '', ...args] = words
  if (startsElsewhere(program, args))
    return { starts: 'server', framework: 'start', entry: undefined, missing: undefined }
  const script = scriptOf(program, args, manifest)
  if (script !== undefined && depth < 5) return await classify(script, manifest, has, depth + 1)
  if (isOwnFile(program) && (await has(normal(program)))) return started(normal(program))
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (development.has(name)) return { starts: 'development' }
  const plain = plainArguments(args)
  const deeds = Object.hasOwn(servers, name) ? servers[name]! : {}
  const deed =
    (plain[0] !== undefined && Object.hasOwn(deeds, plain[0]) ? deeds[plain[0]] : undefined) ?? deeds['*']
  if (deed === undefined) return { starts: 'unknown' }
  if (deed === 'development') return { starts: 'development' }
  const isElsewhere = /(?:^|[&;])\s*cd\s/.test(line)
  const path = isElsewhere ? undefined : deed.needs === 'entry' ? entryOf(plain, manifest) : deed.needs
  const found =
    path === undefined
      ? undefined
      : await firstOf(
          endings.map(ending => normal(path) + ending),
          has,
        )
  return {
    starts: 'server',
    framework: deed.framework,
    entry: deed.needs === 'entry' ? found : undefined,
    missing: path === undefined || found !== undefined ? undefined : normal(path),
  }
}

/** Removes assignments (`PORT=3000`) and programs that only run the command after them. */
function unwrap(words: string[]): string[] {
  const start = words.findIndex(word => !/^\w+=/.test(word) && !word.startsWith('-'))
  const command = start < 0 ? [] : words.slice(start)
  const [program = '', ...rest] = command
  if (scriptRunners.has(program) && passesOn.has(rest[0] ?? ''))
    return unwrap(rest.slice(rest[0] === 'node' ? 0 : 1))
  if (!wrappers.has(program)) return command
  const separator = rest.indexOf('--')
  const behind = separator >= 0 ? rest.slice(separator + 1) : rest
  const first = behind.findIndex(word => !word.startsWith('-') && !/^\w+=/.test(word))
  return first < 0 ? [] : unwrap(behind.slice(first))
}

/** By which package managers are told to run a script of another folder, such as one of the workspace. */
const otherFolder = /^(?:-w|--workspace|--prefix|--filter|-F|-C|--dir|--cwd|workspace)(?:=|$)/

/** `npm start --workspace web` */
const startsElsewhere = (program: string, args: string[]): boolean =>
  scriptRunners.has(program) &&
  args.some(word => otherFolder.test(word)) &&
  args.some(word => scriptNames.includes(word))

/** The script that `npm run name`, `yarn name` and the like stand for. */
function scriptOf(program: string, args: string[], { scripts }: PackageJson): string | undefined {
  if (program === 'node' && args[0] === '--run') return scripts.get(args[1] ?? '')
  if (!scriptRunners.has(program)) return undefined
  const names = args.filter(word => !word.startsWith('-'))
  return scripts.get((names[0] === 'run' || names[0] === 'run-script' ? names[1] : names[0]) ?? '')
}

function plainArguments(args: string[]): string[] {
  const plain: string[] = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    if (!word.startsWith('-')) plain.push(word)
    else if (flagsWithValue.has(word)) i += 1
  }
  return plain
}

/** The file that the command starts. `undefined` if it is not known, for example because it is a variable. */
function entryOf(plain: string[], { main }: PackageJson): string | undefined {
  const [word] = ['run', 'watch', 'start'].includes(plain[0] ?? '') ? plain.slice(1) : plain
  if (word === undefined || word === '.' || word === './')
    return main ?? (word === undefined ? undefined : 'index.js')
  return /[$*`]/.test(word) ? undefined : word
}

const isOwnFile = (program: string): boolean => program.includes('/') && !program.includes('node_modules/')

/** Removes a leading `./` and superfluous slashes. */
const normal = (path: string): string =>
  path
    .split('/')
    .filter(name => name !== '' && name !== '.')
    .join('/')

/** The endings that Node.js tries after a path. */
const endings = [
  '',
  '.js',
  '.cjs',
  '.mjs',
  '.ts',
  '/index.js',
  '/index.cjs',
  '/index.mjs',
  '/index.ts',
  '/package.json',
]

async function firstOf(paths: readonly string[], has: Has): Promise<string | undefined> {
  for (const path of paths) if (await has(path)) return path
  return undefined
}
