// Disks hold what strangers write. Nothing of it may lead out of the disk, block svcd, or keep a snapshot from being made.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { DirectoryDisks } from './directory.ts'

const id = 'dsk_0000000000000000'
const [first, second] = ['snp_0000000000000001', 'snp_0000000000000002'] as const
const MB = 1024 ** 2

let outside: string
let data: string
let disks: DirectoryDisks

beforeEach(async () => {
  const parent = await mkdtemp(path.join(tmpdir(), 'svc-disks-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  outside = path.join(parent, 'outside')
  await mkdir(outside)
  await writeFile(path.join(outside, 'secret'), 'of the machine')
  await mkdir(path.join(parent, 'disks'))
  disks = new DirectoryDisks(path.join(parent, 'disks'), async () => undefined)
  data = await disks.prepare(id, undefined)
})

/** Takes everything that is done with a disk, and returns the tar archive. */
async function copied(): Promise<Buffer> {
  await disks.snapshot(id, first)
  await disks.restore(id, first)
  return await buffer(await disks.download(id, first))
}

it('links out of the disk stay links, and lead no copy, archive or removal there', async () => {
  await symlink(path.join(outside, 'secret'), path.join(data, 'file'))
  await symlink(outside, path.join(data, 'directory'))
  await symlink('../../..', path.join(data, 'up'))
  await symlink('nowhere', path.join(data, 'dangling'))
  const tar = await copied()
  expect(tar.includes('of the machine')).toBe(false)
  for (const name of ['file', 'directory', 'up', 'dangling'])
    expect((await lstat(path.join(data, name))).isSymbolicLink()).toBe(true)
  expect((await disks.measure(id)).usedBytes).toBeLessThan(MB)
  await disks.keepSnapshots(id, [])
  await disks.remove(id)
  expect(await readFile(path.join(outside, 'secret'), 'utf8')).toBe('of the machine')
})

it('a pipe that nobody writes to and a socket block neither a copy nor an archive', async () => {
  execFileSync('mkfifo', [path.join(data, 'pipe')])
  const server = createServer().listen(path.join(data, 'socket'))
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await writeFile(path.join(data, 'notes'), 'kept')
  expect((await copied()).includes('kept')).toBe(true)
  expect(await readFile(path.join(data, 'notes'), 'utf8')).toBe('kept')
})

it('a file of holes counts with what it takes, and stays one in copies and archives', async () => {
  const file = path.join(data, 'holes')
  await writeFile(file, 'begin')
  await truncate(file, 100_000 * MB)
  expect((await disks.measure(id)).usedBytes).toBeLessThan(MB)
  expect(await disks.snapshot(id, second)).toBeLessThan(MB)
  expect((await copied()).length).toBeLessThan(MB)
  expect((await lstat(file)).size).toBe(100_000 * MB)
  expect((await disks.measure(id)).usedBytes).toBeLessThan(MB)
})

it('names of any bytes come back as they were', async () => {
  const names = ['--help', '-rf', 'a\nb', '1\ttotal', '*', "'; ls", ' ', '\u202etxt.exe', '\\'].map(name =>
    Buffer.from(name),
  )
  names.push(Buffer.from([0xff, 0xfe, 0x80]), Buffer.alloc(255, 'x'))
  const at = (name: Buffer) => Buffer.concat([Buffer.from(`${data}/`), name])
  for (const name of names) await writeFile(at(name), 'kept')
  const measured = (await disks.measure(id)).usedBytes
  expect(measured).toBeGreaterThanOrEqual(names.length * 4096)
  expect(measured).toBeLessThan(MB)
  await copied()
  const found = await readdir(data, { encoding: 'buffer' })
  expect(found.map(name => name.toString('latin1')).sort()).toEqual(
    names.map(name => name.toString('latin1')).sort(),
  )
})

it('many empty files count with 4 KB each', async () => {
  const files = 2_000
  await Promise.all(Array.from({ length: files }, (_, at) => writeFile(path.join(data, `${at}`), '')))
  expect((await disks.measure(id)).usedBytes).toBeGreaterThanOrEqual(files * 4096)
})

it('a file with many names counts once', async () => {
  await writeFile(path.join(data, 'large'), Buffer.alloc(2 * MB, 1))
  for (let at = 0; at < 10; at++) execFileSync('ln', [path.join(data, 'large'), path.join(data, `${at}`)])
  expect((await disks.measure(id)).usedBytes).toBeLessThan(4 * MB)
  expect(await disks.snapshot(id, first)).toBeLessThan(4 * MB)
})

it('ids that are paths are refused', async () => {
  await expect(disks.prepare('../outside', undefined)).rejects.toThrow('is no id of a disk')
  await expect(disks.restore(id, '../../../outside')).rejects.toThrow('is no id of a snapshot')
  await expect(disks.download(id, '../data')).rejects.toThrow('is no id of a snapshot')
})

describe('a snapshot that is not kept any longer', () => {
  const files = 3_000
  beforeEach(async () => {
    for (const folder of ['a', 'b', 'c']) {
      await mkdir(path.join(data, folder))
      await Promise.all(
        Array.from({ length: files / 3 }, (_, at) => writeFile(path.join(data, folder, `${at}`), 'kept')),
      )
    }
    await disks.snapshot(id, first)
  })

  const countOf = (dir: string) =>
    Number(execFileSync('sh', ['-c', 'find "$0" -type f | wc -l', dir], { encoding: 'utf8' }))

  it('is copied whole if the copy has begun', async () => {
    const other = 'dsk_0000000000000001'
    const copying = disks.copy(other, { id, snapshotId: first })
    await disks.keepSnapshots(id, [])
    await copying
    expect(countOf(await disks.prepare(other, undefined))).toBe(files)
  })

  it('is downloaded whole if that has begun, and removed afterwards', async () => {
    const tar = await disks.download(id, first)
    await disks.keepSnapshots(id, [])
    const names = execFileSync('tar', ['--list'], {
      input: await buffer(tar),
      encoding: 'utf8',
      maxBuffer: 10 * MB,
    })
    expect(names.split('\n').filter(name => /\d$/.test(name))).toHaveLength(files)
    await eventually(async () => {
      await disks.keepSnapshots(id, [])
      return (await readdir(path.dirname(data))).length > 0 && (await readdir(snapshotsOf())).length === 0
    })
  })

  it('is not downloaded in part while it is removed', async () => {
    const removing = disks.keepSnapshots(id, [])
    await eventually(() => !existsSync(path.join(snapshotsOf(), first, 'a')))
    await expect(disks.download(id, first)).rejects.toThrow('no such snapshot')
    await removing
    expect(await readdir(snapshotsOf())).toEqual([])
  })

  it('of a restored backup is unpacked once for several copies at a time', async () => {
    const dir = path.join(snapshotsOf(), first)
    execFileSync('tar', ['--directory', dir, '--create', '--file', `${dir}.tar`, '.'])
    await rm(dir, { recursive: true })
    const others = ['dsk_0000000000000001', 'dsk_0000000000000002', 'dsk_0000000000000003']
    await Promise.all(others.map(other => disks.copy(other, { id, snapshotId: first })))
    for (const other of others) expect(countOf(await disks.prepare(other, undefined))).toBe(files)
  })

  const snapshotsOf = () => path.join(path.dirname(data), 'snapshots')
})

/** Directories in each other, with a file in each. Perl goes down step by step, as an app can. */
const nest = (dir: string, depth: number, name: string) =>
  execFileSync('perl', [
    '-e',
    `chdir shift or die; my ($depth, $name) = @ARGV; for (1..$depth) { mkdir $name; chdir $name or die; open F, '>', 'file'; print F "level $_"; close F; chmod 0500, '.' if $_ % 7 == 0 && $_ == $depth }`,
    ...[dir, String(depth), name],
  ])

/** Names, kinds, sizes and times of everything, with the paths below. */
const listed = (dir: string) =>
  execFileSync('find', [dir, '-printf', '%y %m %s %T@ %d %f\n'], { maxBuffer: 100 * MB }).toString()

describe.runIf(process.platform === 'linux')(
  'directories that are nested deeper than a path can be long',
  () => {
    it.each([
      ['a few with long names', [[30, 'd'.repeat(200)]]],
      ['many with short names', [[420, 'd'.repeat(10)]]],
      [
        'several branches, with hostile names',
        [
          [40, '\n \\*?\'"'.repeat(20)],
          [25, `-${'ä'.repeat(120)}`],
          [3, 'short'],
        ],
      ],
    ] as [string, [number, string][]][])(
      'are copied, restored, downloaded and deleted: %s',
      async (_, branches) => {
        for (const [depth, name] of branches) nest(data, depth, name)
        // Node cannot delete it.
        onTestFinished(() => void execFileSync('rm', ['-rf', path.join(data, '../..')]))
        const before = listed(data)
        await disks.snapshot(id, first)
        expect(
          listed(path.join(data, '../snapshots', first))
            .split('\n')
            .slice(1),
        ).toEqual(before.split('\n').slice(1))
        execFileSync('rm', ['-rf', '--', path.join(data, branches[0]![1])])
        await disks.restore(id, first)
        expect(listed(data).split('\n').slice(1)).toEqual(before.split('\n').slice(1))
        const other = 'dsk_0000000000000001'
        await disks.copy(other, { id, snapshotId: first })
        expect(listed(await disks.prepare(other, undefined)).length).toBe(before.length)
        const tar = await buffer(await disks.download(id, first))
        expect(tar.includes(`level ${branches[0]![0]}`)).toBe(true)
        // The download may not have ended yet.
        await eventually(async () => {
          await disks.keepSnapshots(id, [])
          return (await readdir(path.join(data, '../snapshots'))).length === 0
        })
        for (const each of [id, other]) await disks.remove(each)
        expect(await readdir(path.join(data, '../..'))).toEqual([])
      },
    )
  },
)
