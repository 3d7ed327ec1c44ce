// Python apps: their packages are installed into a folder of the app, and a server of the framework starts them.
import { below, type ProjectFiles } from './files.ts'
import type { LanguageApp } from './language-app.ts'

/** The folder of the packages. Detection lets Python and the shell find them there. */
export const pythonPackages = '.python_packages'

/** Files that may hold the app, the most likely one first. */
const entries = [
  ...['main.py', 'app.py', 'server.py', 'wsgi.py', 'asgi.py', 'application.py'],
  ...['app/main.py', 'src/main.py'],
]

interface PythonServer {
  /** The package that starts it. */
  package: string
  line: (app: string) => string
}

const gunicorn: PythonServer = {
  package: 'gunicorn',
  line: app => `python3 -m gunicorn --bind "$HOSTNAME:$PORT" ${app}`,
}
const uvicorn: PythonServer = {
  package: 'uvicorn',
  line: app => `python3 -m uvicorn --host "$HOSTNAME" --port "$PORT" ${app}`,
}

/** The class of the app, and the server that runs its objects. */
const servers: ReadonlyMap<string, PythonServer> = new Map([
  ['Flask', gunicorn],
  ['FastAPI', uvicorn],
  ['Starlette', uvicorn],
  ['Quart', uvicorn],
  ['Litestar', uvicorn],
])

export async function pythonApp(files: ProjectFiles, dir: string): Promise<LanguageApp | undefined> {
  const start = (await djangoStart(files, dir)) ?? (await startOfEntry(files, dir))
  const hasProcfile = await files.hasFile(below(dir, 'Procfile'))
  if (!start && !hasProcfile) return undefined
  const packages = await packagesOf(files, dir)
  if (packages === undefined) return { typed: 'python3 --version', start: start?.plain ?? start?.line ?? '' }
  // The author's Procfile names its own server.
  const server = start?.server && !hasProcfile ? ` ${start.server}` : ''
  const typed = `python3 -m pip install --target ${pythonPackages} --upgrade --no-compile ${packages}${server}`
  const line = `python3 -c 'import pip' 2>/dev/null || exit 127; ${typed} --disable-pip-version-check --no-input`
  return { typed, line, start: start?.line ?? '' }
}

interface PythonStart {
  line: string
  /** The package of the server that the line starts. */
  server?: string
  /** The line without that package. */
  plain?: string
}

/** What pip installs. `undefined` if nothing names packages. */
async function packagesOf(files: ProjectFiles, dir: string): Promise<string | undefined> {
  if (await files.hasFile(below(dir, 'requirements.txt'))) return '-r requirements.txt'
  const pyproject = (await files.read(below(dir, 'pyproject.toml'))) ?? ''
  // Without these tables, the file holds only the settings of tools.
  const isPackage = ['[project]', '[tool.poetry]'].some(table => pyproject.includes(table))
  return isPackage ? '.' : undefined
}

/** manage.py names the module of the settings, whose package has the module wsgi. */
async function djangoStart(files: ProjectFiles, dir: string): Promise<PythonStart | undefined> {
  const text = (await files.read(below(dir, 'manage.py'))) ?? ''
  const [, after = ''] = text.split('DJANGO_SETTINGS_MODULE')
  const module = after.split(/["']/).find(word => /^[A-Za-z_][\w.]*$/.test(word))
  const at = module?.indexOf('.settings') ?? -1
  if (module === undefined || at < 1) return undefined
  return { line: gunicorn.line(`${module.slice(0, at)}.wsgi`), server: gunicorn.package }
}

async function startOfEntry(files: ProjectFiles, dir: string): Promise<PythonStart | undefined> {
  let first: string | undefined
  for (const entry of entries) {
    const text = await files.read(below(dir, entry))
    if (text === undefined) continue
    first ??= entry
    for (const line of text.split('\n')) {
      const found = appIn(line)
      const module = entry.slice(0, -'.py'.length).replaceAll('/', '.')
      if (found)
        return {
          line: found.server.line(`${module}:${found.name}`),
          server: found.server.package,
          plain: `python3 ${entry}`,
        }
    }
  }
  return first === undefined ? undefined : { line: `python3 ${first}` }
}

/** The name and the server of an assignment such as `app = Flask(__name__)`. */
function appIn(line: string): { name: string; server: PythonServer } | undefined {
  const equals = line.indexOf('=')
  if (equals < 0) return undefined
  const name = line.slice(0, equals).split(':')[0]!.trimEnd()
  const made = line.slice(equals + 1).trimStart()
  const call = made.slice(0, Math.max(0, made.indexOf('(')))
  const server = servers.get(call.slice(call.lastIndexOf('.') + 1))
  // An indented line is part of a function.
  return server && /^[A-Za-z_]\w*$/.test(name) ? { name, server } : undefined
}
