import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { nodeAt } from './node-inside.ts'
import { findSandbox } from './sandbox.ts'

/** A directory with the layout of an installed Node. */
function nodeDirectory(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-node-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const folder of ['bin', 'lib']) mkdirSync(path.join(dir, folder))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(dir, 'bin', 'npm'))
  return dir
}

test('of the directory where Node is installed, apps see Node and npm, and nothing else', () => {
  const dir = nodeDirectory()
  expect(nodeAt('/usr/bin/node')).toEqual([])
  const folders = ['/opt', '/opt/node', '/opt/node/bin', '/opt/node/lib']
  expect(nodeAt(`${dir}/bin/node`)).toEqual([
    ...folders.flatMap(folder => ['--perms', '0755', '--dir', folder]),
    ...['--ro-bind', `${dir}/bin/node`, '/opt/node/bin/node'],
    ...['--ro-bind-try', `${dir}/lib/node_modules`, '/opt/node/lib/node_modules'],
    ...['--symlink', '../lib/node_modules/npm/bin/npm-cli.js', '/opt/node/bin/npm'],
  ])
})

/** Runs a build in a sandbox, and prints what it prints. */
const buildProgram = `
const { SandboxedBuilds } = await import(process.argv[1])
const builds = await SandboxedBuilds.open('node-inside', { outbound: 'off', webPorts: [], hidden: [] })
const [sourceDir, homeDir] = process.argv.slice(2)
await builds.prepare('prj_1', [sourceDir, homeDir])
const command = {
  ...{ buildId: 'bld_inside', projectId: 'prj_1', sourceDir, workDir: '', homeDir, homeFolders: {}, env: {} },
  line: 'node --print process.execPath && npm --version',
  limits: { memoryBytes: 1024 ** 3, cpus: 1, pids: 100 },
  output: chunk => process.stdout.write(chunk),
}
const { code } = await builds.run(command, new AbortController().signal)
await builds.close()
process.exitCode = code ?? 1
`

// /tmp and /home of the sandbox are the command's own directories, and nvm installs Node below /home.
test.runIf(await findSandbox())('a build gets the Node of the platform if it is below /tmp', async () => {
  const dir = nodeDirectory()
  copyFileSync(process.execPath, path.join(dir, 'bin', 'node'))
  const modules = path.join(path.dirname(path.dirname(process.execPath)), 'lib', 'node_modules')
  symlinkSync(modules, path.join(dir, 'lib', 'node_modules'))
  const [sourceDir, homeDir] = ['source', 'home'].map(name => path.join(dir, name)) as [string, string]
  for (const folder of [sourceDir, homeDir]) mkdirSync(folder)
  const builds = new URL('./builds.js', import.meta.url).href
  const args = ['--input-type=module', '--eval', buildProgram, builds, sourceDir, homeDir]
  const { stdout } = await promisify(execFile)(path.join(dir, 'bin', 'node'), args)
  expect(stdout).toMatch(/^\/opt\/node\/bin\/node\n\d+\.\d+\.\d+\n$/)
})
