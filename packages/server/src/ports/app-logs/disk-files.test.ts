// The files of the logs: when the disk fails or is full, when they are removed, and who may read them.
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  all,
  everything,
  filesOf,
  instance,
  logDirectory,
  project,
  start,
  texts,
  writeAll,
} from './testbed.ts'

test('a disk error does not disturb the app, and the loss is noted once the disk works again', async () => {
  const { dir, open } = await logDirectory()
  const errors: unknown[] = []
  const logs = open({ onError: error => errors.push(error) })
  await writeFile(path.join(dir, project), 'in the way')
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('lost\n'))
  await logs.close()
  expect(errors.length).toBeGreaterThan(0)
  await rm(path.join(dir, project))
  sink.write('stdout', Buffer.from('kept\n'))
  await sink.close()
  expect(await all(logs)).toEqual(['svc: 1 line left out here: the disk refused.', 'kept'])
})

test('a full disk is reported once, leaves no extra files, and the log goes on when there is space', async () => {
  const { dir, open } = await logDirectory()
  const errors: unknown[] = []
  const logs = open({ onError: error => errors.push(error) })
  await mkdir(path.join(dir, project))
  const full = path.join(dir, project, `${start}.log`)
  await symlink('/dev/full', full)
  const sink = logs.open(instance())
  for (let i = 0; i < 5; i++) {
    sink.write('stdout', Buffer.from('lost\n'))
    await logs.close()
  }
  expect(errors).toMatchObject([{ code: 'ENOSPC' }])
  expect(await filesOf(dir)).toEqual([full])
  await rm(full)
  sink.write('stdout', Buffer.from('kept\n'))
  await sink.close()
  const [notice, ...lines] = await all(logs)
  expect(notice).toMatch(/^svc: 5 lines left out here: the disk/)
  expect(lines).toEqual(['kept'])
})

test('a directory that was removed while its app runs is created again', async () => {
  const { dir, open } = await logDirectory()
  const logs = open()
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('before\n'))
  await logs.close()
  await rm(path.join(dir, project), { recursive: true })
  sink.write('stdout', Buffer.from('after\n'))
  expect(await all(logs)).toEqual(['after'])
  await sink.close()
})

test('a removed project leaves no files, even if its app keeps writing', async () => {
  const { dir, open } = await logDirectory()
  const logs = open()
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('one\n'))
  await logs.close()
  sink.write('stdout', Buffer.from('two\n'))
  await logs.remove(project)
  sink.write('stdout', Buffer.from('three\n'))
  await sink.close()
  expect(await readdir(dir)).toEqual([])
})

test('old files are removed, except the one in use', async () => {
  const { open } = await logDirectory()
  const logs = open()
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('one\n'))
  await logs.close()
  const tomorrow = Date.now() + 86_400_000
  await logs.removeOlder(tomorrow)
  expect(await all(logs)).toEqual(['one'])
  await sink.close()
  await logs.removeOlder(tomorrow)
  expect(await all(logs)).toEqual([])
  await writeAll(logs, 'two\n')
  expect(await all(logs)).toEqual(['two'])
})

test('no id leads out of the directory', async () => {
  const logs = (await logDirectory()).open()
  await expect(logs.read({ ...everything, projectId: '../x' })).rejects.toThrow('Not a project id')
})

test('only the owner can read the files', async () => {
  const { dir, open } = await logDirectory()
  await writeAll(open(), 'secret\n')
  const [file = ''] = await filesOf(dir)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
  expect((await readFile(file, 'utf8')).endsWith(' secret\n')).toBe(true)
})

test('no file stays open after the last instance has ended, whenever a reader comes', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    const { dir, open } = await logDirectory()
    const logs = open()
    const sink = logs.open(instance())
    sink.write('stdout', Buffer.from('one\n'))
    await logs.read(everything)
    const closed = sink.close()
    for (let tick = 0; tick < ticks; tick++) await null
    const read = logs.read(everything)
    await closed
    expect(texts(await read)).toEqual(['one'])
    expect(await openFiles(dir), `a reader after ${ticks} ticks`).toEqual([])
  }
})

/** The files in the directory that this process has open. Empty on systems without /proc. */
async function openFiles(dir: string): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => [])
  const links = await Promise.all(fds.map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return links.filter(link => link.startsWith(dir))
}
