// Which pushes to a monorepo with a workspace build the project of one folder.
import { afterEach, expect, it } from 'vitest'
import type { WorkingCopy } from '../testing/git.ts'
import { newGitProject } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

const manifest = (name: string, dependencies: Record<string, string> = {}, more = {}) =>
  JSON.stringify({ name, dependencies, ...more })

/** `web` uses `ui`, which uses `colors`. Nothing uses `api`. */
const monorepo = {
  'package.json': manifest('shop', {}, { workspaces: ['apps/*', 'packages/*'] }),
  'apps/web/package.json': manifest('web', { '@shop/ui': '*' }),
  'apps/web/index.html': 'web',
  'apps/api/package.json': manifest('api', { '@shop/ui': '*' }),
  'packages/ui/package.json': manifest('@shop/ui', { '@shop/colors': '*' }),
  'packages/colors/package.json': manifest('@shop/colors'),
  'packages/tools/package.json': manifest('@shop/tools'),
}

onEveryServer(server => {
  const copies: WorkingCopy[] = []
  afterEach(async () => {
    for (const copy of copies.splice(0)) await copy.remove()
  })

  /** The project builds apps/web. Its commands only copy files, so that a build is quick. */
  async function newProject(settings: Record<string, unknown> = {}) {
    const commands = {
      install_cmd: 'true',
      build_cmd: 'mkdir dist && cp index.html dist',
      output_dir: 'dist',
    }
    const project = await newGitProject(server(), { root_dir: 'apps/web', ...commands, ...settings })
    copies.push(project.copy)
    const isBuilt = async (files: Record<string, string>) => {
      await project.copy.commit(files)
      return !(await project.push('main')).stderr.includes('not built, nothing changed in apps/web')
    }
    return { ...project, isBuilt }
  }

  it('a push builds a folder of a workspace if a package that it uses has changed, and not for other packages', async () => {
    const { isBuilt } = await newProject()
    expect(await isBuilt(monorepo)).toBe(true)
    expect(await isBuilt({ 'packages/ui/src/button.js': '1' })).toBe(true)
    expect(await isBuilt({ 'packages/colors/src/deep/red.js': '1' })).toBe(true)
    expect(await isBuilt({ 'apps/api/server.js': '1' })).toBe(false)
    expect(await isBuilt({ 'packages/tools/lint.js': '1' })).toBe(false)
  })

  it('a push builds a folder of a workspace if the lock file or another shared file has changed', async () => {
    const { isBuilt } = await newProject()
    expect(await isBuilt({ ...monorepo, 'package.json': '{}', 'pnpm-workspace.yaml': '' })).toBe(true)
    expect(await isBuilt({ 'pnpm-lock.yaml': "lockfileVersion: '9.0'" })).toBe(true)
    expect(await isBuilt({ 'packages/tsconfig.json': '{}' })).toBe(true)
    expect(await isBuilt({ 'README.md': 'x', '.github/workflows/test.yml': 'x' })).toBe(false)
  })

  it('a push after a failed build is built, since the fix may be outside of the folder', async () => {
    const { isBuilt, name, builds } = await newProject({ build_cmd: 'cp -r ../shared dist' })
    expect(await isBuilt({ 'apps/web/index.html': 'web' })).toBe(true)
    expect((await builds())[0]).toMatchObject({ status: 'failed' })
    expect(await isBuilt({ 'apps/shared/index.html': 'shared' })).toBe(true)
    expect((await server().site(name)).text).toBe('shared')
    expect(await isBuilt({ 'apps/shared/index.html': 'again' })).toBe(false)
  })
})
