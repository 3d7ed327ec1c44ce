// Backups that somebody has changed, to run programs on the machine that restores them.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { makeTar, type TarEntry } from '../../testing/make-tar.ts'
import { at, call, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

test('of a repository, a restore takes HEAD, refs and objects, and nothing that runs a program', async () => {
  await svcd('first', ['migrate'])
  const token = (await svcd('first', ['users', 'create', 'ada', '--token'])).stdout.trim()
  const json = { token, type: 'application/json', method: 'POST' }
  const push = async (port: number, files: Record<string, string>) => {
    const copy = await WorkingCopy.of(`http://ada:${token}@127.0.0.1:${port}/git/ada/site.git`)
    onTestFinished(() => copy.remove())
    await copy.git('pull', '--quiet', 'origin', 'main')
    await copy.commit(files)
    return await copy.git('push', 'origin', 'main')
  }
  await whileServing('first', async port => {
    await call(port, '/projects', { ...json, body: '{"name":"blog"}' })
    await call(port, '/projects/blog/repo', { ...json, body: '{"repo":"ada/site"}' })
    const pushed = await push(port, { '.gitattributes': '* filter=evil\n', 'index.html': 'one' })
    expect(pushed.code).toBe(0)
  })
  await svcd('first', ['backup', at('good.tar')])

  const ran = at('ran')
  const run = `sh -c 'touch ${ran}; cat'`
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tsshCommand = ${run}\n\talternateRefsCommand = ${run}\n[filter "evil"]\n\tsmudge = ${run}\n\tclean = ${run}\n\trequired = true\n`
  const entries = await entriesOf(at('good.tar'), at('good'))
  const head = entries.find(entry => entry.path.endsWith('/HEAD'))!
  const repository = path.dirname(head.path)
  entries.push(
    { path: `${repository}/config`, content: config },
    { path: `${repository}/hooks/pre-receive`, content: `#!/bin/sh\ntouch ${ran}\n` },
    { path: `${repository}/objects/info/alternates`, content: '/\n' },
    { path: `${repository}/commondir`, content: '/\n' },
    { path: 'git/push-hooks/pre-receive', content: `#!/bin/sh\ntouch ${ran}\n` },
  )
  await writeFile(at('hostile.tar'), archive(entries))
  expect(await svcd('second', ['restore', at('hostile.tar')])).toMatchObject({ code: 0 })
  expect((await readdir(at('second', repository))).sort()).toEqual(['HEAD', 'config', 'objects', 'refs'])
  expect(await readFile(at('second', repository, 'config'), 'utf8')).not.toContain('evil')
  expect(existsSync(at('second', repository, 'objects/info'))).toBe(false)
  expect(existsSync(at('second', 'git/push-hooks'))).toBe(false)

  // Somebody with the rights to write there could do the same to a running platform. svcd uses its own configuration.
  await writeFile(at('second', repository, 'config'), config)
  await mkdir(at('second', repository, 'hooks'))
  await writeFile(at('second', repository, 'hooks/post-receive'), `#!/bin/sh\ntouch ${ran}\n`, {
    mode: 0o755,
  })
  await whileServing('second', async port => {
    expect((await push(port, { 'index.html': 'two' })).code).toBe(0)
    await eventually(async () => (await call(port, '/', { host: 'blog.localhost' })).text === 'two')
  })
  expect(existsSync(ran)).toBe(false)
})

/** The files of a backup, but for the manifest. */
async function entriesOf(file: string, dir: string): Promise<(TarEntry & { path: string })[]> {
  await mkdir(dir)
  execFileSync('tar', ['--extract', '--file', file, '--directory', dir])
  const found = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = found.filter(entry => entry.isFile()).map(entry => path.join(entry.parentPath, entry.name))
  const names = files.map(each => path.relative(dir, each)).filter(name => name !== 'svcd-backup.json')
  return await Promise.all(
    names.map(async name => ({ path: name, content: await readFile(path.join(dir, name)) })),
  )
}

function archive(entries: TarEntry[]): Buffer {
  const manifest = {
    format: 1,
    svcd: '1.0.0',
    created_at: '2026-01-01',
    has_key: true,
    files: entries.length,
  }
  return makeTar([{ path: 'svcd-backup.json', content: JSON.stringify(manifest) }, ...entries])
}
