import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { endOf, passOutput, startProgram } from './start-program.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'start-program-'))
mkdirSync(path.join(dir, 'dsk_0123456789abcdef/snapshots/snp_0123456789abcdef'), { recursive: true })
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const built = (file: string) => new URL(`../${file}`, import.meta.url).href

/**
 * Runs the code in a process in which no file descriptor is free, and says what it threw. Like svcd, the process ends with a
 * fault that nobody takes.
 */
async function withoutDescriptors(module: string, code: string): Promise<string> {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { PassThrough } from 'node:stream'
    import { once } from 'node:events'
    const parts = await import(${JSON.stringify(built(module))})
    const work = async dir => { ${code} }
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch { /* None is free now. */ }
    const said = await work(${JSON.stringify(dir)}).then(said => 'said ' + said, error => 'failed: ' + error.message)
    for (const fd of taken) closeSync(fd)
    await new Promise(resolve => setTimeout(resolve, 100))
    process.stdout.write(said)
  `
  const line = 'ulimit -n 64; exec "$@"'
  const args = ['-c', line, 'sh', process.execPath, '--input-type=module', '-e', script]
  return (await promisify(execFile)('/bin/sh', args)).stdout
}

const cannot = expect.stringMatching(/^failed: .*EMFILE/)

test.each([
  [
    'the files of a build are measured',
    'builder/disk-use.js',
    'return (await parts.extentOf([dir])).files',
    cannot,
  ],
  [
    'the disk use of a build is measured',
    'builder/disk-use.js',
    'return await parts.diskUse([dir])',
    'said 0',
  ],
  ['a build is removed', 'lib/remove-tree.js', 'await parts.removeTree(dir)', cannot],
  ['files get their owner', 'ports/app-runtime/project-user.js', 'await parts.giveTo(1, [dir])', cannot],
  [
    'an archive is made',
    'builder/tar.js',
    'for await (const chunk of parts.writeTar([], ["a"], new PassThrough())) return "a part"',
    cannot,
  ],
  [
    'git is asked',
    'lib/git/programs.js',
    'await parts.runGit(["version"], { owner: "a" })',
    expect.stringMatching(/^failed: git version/),
  ],
  [
    'a disk is measured',
    'ports/app-disks/directory.js',
    'return (await new parts.DirectoryDisks(dir, async () => 0).measure("dsk_0123456789abcdef")).usedBytes',
    cannot,
  ],
  [
    'a snapshot of a disk is read',
    'ports/app-disks/directory.js',
    'for await (const chunk of await new parts.DirectoryDisks(dir, async () => 0).download("dsk_0123456789abcdef", "snp_0123456789abcdef")) return "a part"; return "a whole archive"',
    cannot,
  ],
  [
    'a program of PostgreSQL runs',
    'ports/databases/own/run.js',
    'await parts.run({ around: command => command }, ["true"])',
    cannot,
  ],
  [
    'ssh is asked',
    'ports/packs/sftp/client.js',
    'await parts.SftpClient.connect({ command: ["cat"], dir: "", host: "a" })',
    cannot,
  ],
  [
    'a command of a build runs',
    'ports/build-sandbox/plain.js',
    'await new parts.PlainBuilds(() => "/bin").run({ line: "true", sourceDir: dir, workDir: ".", homeDir: dir, homeFolders: {}, env: {}, output: () => true }, new AbortController().signal)',
    cannot,
  ],
  [
    'a process of slow work starts',
    'threads/worker-process.js',
    `const [error] = await once(new parts.WorkerProcess(new URL('file:///nothing.js')), 'error'); throw error`,
    cannot,
  ],
])('svcd goes on if no program can start while %s', async (_, module, code, expected) => {
  expect(await withoutDescriptors(module, code)).toEqual(expected)
})

test('a process that cannot start has closed pipes and tells of its error and its end', async () => {
  const code = `
    const child = parts.startProgram('true', [], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
    child.stdin.end('unread')
    const ended = parts.endOf(child).catch(error => error.code)
    const texts = await Promise.all([child.stdout.toArray(), child.stderr.toArray()])
    return [child.stdio.length, texts.flat().length, await ended].join(' ')`
  expect(await withoutDescriptors('lib/start-program.js', code)).toBe('said 4 0 EMFILE')
})

test('a program that gets more than the system takes fails like one that is missing', async () => {
  const child = startProgram('true', ['x'.repeat(1024 ** 2)], { stdio: 'pipe' })
  const ended = endOf(child)
  expect(await child.stdout.toArray()).toEqual([])
  await expect(ended).rejects.toThrow('E2BIG')
})

test('the output of a program that fails is not taken for all of it', async () => {
  const script = 'echo a part; exec 1>&-; sleep 0.1; exit 3'
  const child = startProgram('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const output = passOutput({ name: 'sh', child }, new PassThrough())
  await expect(output.toArray()).rejects.toThrow('sh ended with code 3')
})
