import { describe, expect, it } from 'vitest'
import { detectServer } from './detection.ts'
import { projectIn, type SiteFiles } from './files.ts'
import { findOutput } from './output.ts'
import { buildVariables, planProject } from './plan.ts'

const siteOf = (files: Record<string, string>): SiteFiles => ({
  paths: () => Object.keys(files),
  sizeOf: path => files[path]?.length,
  text: async path => files[path] ?? '',
})

const planOf = (files: Record<string, string>, build?: string) =>
  planProject(projectIn(siteOf(files)), { dir: '', build })

const gunicorn = 'python3 -m gunicorn --bind "$HOSTNAME:$PORT"'
const uvicorn = 'python3 -m uvicorn --host "$HOSTNAME" --port "$PORT"'
const pip = 'python3 -m pip install --target .python_packages --upgrade --no-compile'

describe('an app in another language', () => {
  it.each<[string, Record<string, string>, string, string]>([
    [
      'Flask',
      { 'requirements.txt': 'flask', 'app.py': 'from flask import Flask\napp = Flask(__name__)\n' },
      `${pip} -r requirements.txt gunicorn`,
      `${gunicorn} app:app`,
    ],
    [
      'FastAPI',
      { 'requirements.txt': 'fastapi', 'app/main.py': 'import fastapi\napi: FastAPI = fastapi.FastAPI()\n' },
      `${pip} -r requirements.txt uvicorn`,
      `${uvicorn} app.main:api`,
    ],
    [
      'Django',
      {
        'requirements.txt': 'django',
        'manage.py': "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')",
      },
      `${pip} -r requirements.txt gunicorn`,
      `${gunicorn} shop.wsgi`,
    ],
    [
      'a Python project with pyproject.toml',
      { 'pyproject.toml': '[project]\nname = "a"\n', 'main.py': 'serve()' },
      `${pip} .`,
      'python3 main.py',
    ],
    [
      'Python without packages',
      { 'server.py': 'def f():\n    app = Flask(1)\n' },
      'python3 --version',
      'python3 server.py',
    ],
    [
      'Go at the top',
      { 'go.mod': 'module example.com/shop/v2\n\ngo 1.22\n', 'main.go': 'package main' },
      'go build -trimpath -o bin/ .',
      'bin/shop',
    ],
    [
      'Go in cmd/',
      { 'go.mod': 'module a\n', 'cmd/tool/main.go': '', 'cmd/server/main.go': '' },
      'go build -trimpath -o bin/ ./cmd/server',
      'bin/server',
    ],
    [
      'Deno with a task',
      { 'deno.json': '{ "tasks": { "start": "deno run -A main.ts" } }', 'main.ts': '' },
      'deno cache main.ts',
      'DENO_DIR=.deno deno task start',
    ],
    [
      'Deno with a handler',
      { 'deno.jsonc': '{ // nothing\n}', 'main.ts': 'export default { fetch() {} }' },
      'deno cache main.ts',
      'DENO_DIR=.deno deno serve -A --host "$HOSTNAME" --port "$PORT" main.ts',
    ],
  ])('%s is built and started by its files', async (_, files, build, start) => {
    const plan = await planOf(files)
    expect([plan.build?.typed, plan.language?.start]).toEqual([build, start])
    expect(plan.build?.absent?.onPlatform).toContain('is not on this machine. The operator can install it')
    expect(await findOutput(projectIn(siteOf(files)), plan)).toMatchObject({ dir: '' })
  })

  it('is compiled for Linux without C', async () => {
    const plan = await planOf({ 'go.mod': 'module a\n', 'main.go': '' })
    expect(buildVariables(plan, { inSandbox: false })).toEqual({ CGO_ENABLED: '0', GOOS: 'linux' })
  })

  it('is started as its Procfile says, with the packages that the build installed', async () => {
    const files = {
      'requirements.txt': 'gunicorn\nflask',
      Procfile: 'web: gunicorn wsgi',
      'wsgi.py': 'app = Flask(1)',
    }
    const plan = await planOf(files)
    expect([plan.build?.typed, plan.start?.line]).toEqual([`${pip} -r requirements.txt`, 'gunicorn wsgi'])
    const built = { ...files, '.python_packages/bin/gunicorn': '' }
    const { app } = await detectServer(siteOf(built))
    expect(app?.command[2]).toBe(
      'export PYTHONPATH="$PWD/.python_packages" PATH="$PWD/.python_packages/bin:$PATH"; gunicorn wsgi',
    )
  })

  it.each<[string, Record<string, string>]>([
    ['a page beside a script', { 'index.html': 'hi', 'app.py': '' }],
    ['a site of MkDocs', { 'mkdocs.yml': '', 'requirements.txt': 'mkdocs' }],
    ['a package without a main file', { 'pyproject.toml': '[project]', 'lib/a.py': '' }],
    ['settings of a tool', { 'pyproject.toml': '[tool.ruff]' }],
    ['several programs of Go', { 'go.mod': 'module a', 'cmd/x/main.go': '', 'cmd/y/main.go': '' }],
    ['a project with a package.json', { 'package.json': '{}', 'main.py': '' }],
  ])('is not %s', async (_, files) => {
    expect((await planOf(files)).language).toBeUndefined()
  })

  it('may have a build command of its own, and still starts', async () => {
    const plan = await planOf({ 'main.py': 'x' }, 'make')
    expect([plan.build?.typed, plan.language?.start]).toEqual(['make', 'python3 main.py'])
    expect(await findOutput(projectIn(siteOf({ 'main.py': 'x' })), plan)).toMatchObject({ dir: '' })
  })
})
