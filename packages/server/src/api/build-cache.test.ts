import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { BuiltProject } from '../testing/builds.ts'
import { onEveryServer } from '../testing/server.ts'

const run = promisify(execFile)

/** The archive of a package that exports these words. */
async function packageOf(words: string): Promise<Buffer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-package-'))
  await mkdir(path.join(dir, 'package'))
  const manifest = { name: 'greet', version: '1.0.0', main: 'index.js' }
  await writeFile(path.join(dir, 'package/package.json'), JSON.stringify(manifest))
  await writeFile(path.join(dir, 'package/index.js'), `module.exports = ${JSON.stringify(words)}`)
  await run('tar', ['-czf', 'greet.tgz', 'package'], { cwd: dir })
  const archive = await readFile(path.join(dir, 'greet.tgz'))
  await rm(dir, { recursive: true })
  return archive
}

const buildScript = `const fs = require('fs'); fs.mkdirSync('dist', { recursive: true })
fs.writeFileSync('dist/index.html', require('greet') + (fs.existsSync('prepared') ? ', prepared' : ''))`

/** A repository that installs the package by its lock file, without any network. */
async function repository(words: string, scripts: Record<string, string> = {}) {
  const archive = await packageOf(words)
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  const dependencies = { greet: 'file:greet.tgz' }
  const manifest = {
    name: 'x',
    version: '1.0.0',
    scripts: { build: 'node build.js', ...scripts },
    dependencies,
  }
  const lock = {
    ...{ name: 'x', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': { name: 'x', version: '1.0.0', hasInstallScript: Object.keys(scripts).length > 0, dependencies },
      'node_modules/greet': { version: '1.0.0', resolved: 'file:greet.tgz', integrity },
    },
  }
  return {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
    'greet.tgz': archive,
    'build.js': buildScript,
  }
}

const restored = 'Restoring the packages of package-lock.json from the cache'
const installed = 'Installing: npm ci'

onEveryServer(server => {
  const projects: BuiltProject[] = []
  afterEach(async () => {
    for (const { copy } of projects.splice(0)) await copy.remove()
  })
  async function newProject(settings: Record<string, unknown> = {}) {
    const project = await BuiltProject.make(server(), settings)
    projects.push(project)
    return project
  }

  // Each test runs npm several times, in a sandbox that gives way to everything else on the machine.
  describe('the build cache', { timeout: 600_000 }, () => {
    it('gives the packages of a lock file to the next build that has the same one', async () => {
      const project = await newProject()
      const first = await project.build(await repository('one'))
      expect(first.log).toContain(installed)
      const second = await project.build({ 'README.md': 'other' })
      expect(second.log).toContain(restored)
      expect(second.log).not.toContain(installed)
      expect(second.build.status).toBe('succeeded')
      expect((await server().site(project.name)).text).toBe('one')
      const third = await project.build(await repository('two'))
      expect(third.log).toContain(installed)
      expect((await server().site(project.name)).text).toBe('two')
    })

    it('runs the install scripts of the package again', async () => {
      const project = await newProject()
      await project.build(await repository('one', { postinstall: 'touch prepared' }))
      const { log } = await project.build({ 'README.md': 'other' })
      expect(log).toContain(restored)
      expect(log).toContain('npm run postinstall')
      expect((await server().site(project.name)).text).toBe('one, prepared')
    })

    it('installs again when a variable of the project changed', async () => {
      const project = await newProject()
      await project.build(await repository('one'))
      await project.setEnv('NODE_ENV', 'production')
      expect((await project.build({ 'README.md': 'other' })).log).toContain(installed)
    })

    it('of another branch never reaches production, and that of production reaches the branches', async () => {
      const project = await newProject()
      const files = await repository('good', { postinstall: 'node post.js' })
      const tamper = `require('fs').writeFileSync('node_modules/greet/index.js', "module.exports = 'evil'")`
      const evil = await project.build({ ...files, 'post.js': tamper }, 'feature')
      expect(evil.build).toMatchObject({ status: 'succeeded', branch: 'feature' })
      const production = await project.build({ 'post.js': '' }, 'main')
      expect(production.log).toContain(installed)
      expect((await server().site(project.name)).text).toBe('good')
      const other = await project.build({ 'post.js': '', 'README.md': 'x' }, 'another')
      expect(other.log).toContain(restored)
      expect((await server().site(`another--${project.name}`)).text).toBe('good')
    })

    it('that is damaged is not used: the build installs, and says so', async () => {
      const project = await newProject()
      await project.build(await repository('one'))
      const dir = path.join(server().dataDir, 'builds/cache')
      const names = await readdir(dir, { recursive: true })
      const archives = names.filter(name => name.includes('packages-'))
      expect(archives.length).toBeGreaterThan(0)
      for (const name of archives) {
        const bytes = await readFile(path.join(dir, name))
        bytes[bytes.length >> 1]! ^= 1
        await writeFile(path.join(dir, name), bytes)
      }
      const { build, log } = await project.build({ 'README.md': 'other' })
      expect(log).toMatch(/The cache of packages could not be used: the archive is damaged/)
      expect(log).toContain(installed)
      expect(build.status).toBe('succeeded')
      expect((await project.build({ 'README.md': 'third' })).log).toContain(restored)
    })

    it('tells every version of pnpm to keep its downloads in the folder that is saved, and not to look for itself', async () => {
      const names = ['npm_config_store_dir', 'pnpm_config_store_dir', 'pnpm_config_pm_on_fail']
      const values = `echo "pnpm: ${names.map(name => `$${name}`).join(', ')}"`
      const project = await newProject({ install_cmd: values, output_dir: '.' })
      const { log } = await project.build({ 'pnpm-lock.yaml': '', 'package.json': '{}', 'index.html': '' })
      expect(log).toMatch(/^pnpm: (.+\/pnpm), \1, ignore$/m)
    })

    it('holds no file of the machine and writes none, whatever links an install makes or leaves a process to make', async () => {
      const outside = `svc-outside-${process.pid}`
      const plant = String.raw`const fs = require('fs')
        fs.symlinkSync('/', 'node_modules/root')
        fs.symlinkSync('../../../../../../../../tmp', 'node_modules/up')
        fs.writeFileSync('node_modules/-rf', 'x')
        fs.chmodSync('node_modules/-rf', 0o6755)
        fs.writeFileSync('node_modules/a\nb', 'x')
        fs.writeFileSync('node_modules/up/${outside}', 'x')`
      // The process waits for the folder in which the archive is passed on.
      const swap = 'for d in "$HOME"/.svc-*; do ln -sfn /etc/passwd "$d/cache.tar"; done'
      const left = `(setsid sh -c 'while :; do ${swap}; done' > /dev/null 2>&1 &)`
      const project = await newProject({ install_cmd: `npm ci --no-audit --no-fund; ${left}` })
      const files = await repository('one', { postinstall: 'test -L node_modules/root || node plant.js' })
      const first = await project.build({ ...files, 'plant.js': plant })
      expect(first.build.status).toBe('succeeded')
      expect(first.log).not.toContain('could not be saved')
      const dir = path.join(server().dataDir, 'builds/cache')
      const kept = await readdir(dir, { recursive: true, withFileTypes: true })
      expect(kept.filter(entry => entry.isSymbolicLink())).toEqual([])
      const second = await project.build({ 'README.md': 'other' })
      expect(second.log).toContain(restored)
      expect(second.build.status).toBe('succeeded')
      expect((await server().site(project.name)).text).toBe('one')
      await expect(readFile(path.join(tmpdir(), outside))).rejects.toThrow('ENOENT')
    })

    it('carries no file of a home directory from one build to the next', async () => {
      const project = await newProject({ install_cmd: 'ls -A "$HOME"; echo x > "$HOME/.npmrc"' })
      const files = { 'index.html': 'x', 'package.json': '{}' }
      await project.build(files)
      expect((await project.build({ 'index.html': 'y' })).log).not.toContain('.npmrc\n')
    })
  })
})
