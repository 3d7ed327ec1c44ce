// Disks as directories of this machine: `<id>/data` holds what the app writes. Only svcd can enter `<id>`, so that a program
// with a set user id, which an app may leave there, can be started by nobody else.
import { existsSync, renameSync } from 'node:fs'
import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { diskSpace } from '../../lib/disk-space.ts'
import { Fault } from '../../lib/fault.ts'
import { randomText } from '../../lib/ids.ts'
import { endOf, passOutput, startProgram } from '../../lib/start-program.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import { copyDeepTree } from './copy-tree.ts'
import type { AppDisks, DiskMeasure } from './port.ts'
import { unlinkedBytes } from './unlinked.ts'

/** What a file takes at least. */
const leastBytes = 4096

export class DirectoryDisks implements AppDisks {
  readonly #dir: string
  readonly #giveTo: (user: number, dirs: readonly string[]) => Promise<void>

  /** How many copies and downloads read a snapshot now, by its path. */
  readonly #readers = new Map<string, number>()
  readonly #unpacking = new Map<string, Promise<string>>()

  constructor(dir: string, giveTo: (user: number, dirs: readonly string[]) => Promise<void>) {
    this.#dir = dir
    this.#giveTo = giveTo
  }

  async prepare(id: string, owner: number | undefined, newest?: string): Promise<string> {
    const data = path.join(this.#dirOf(id), 'data')
    // After a crash in the middle of a restore, or on a machine to which a backup was restored.
    if (!existsSync(data) && existsSync(path.join(this.#dirOf(id), 'restored')))
      await rename(path.join(this.#dirOf(id), 'restored'), data)
    if (!existsSync(data) && newest !== undefined && this.#has(id, newest)) await this.restore(id, newest)
    await mkdir(data, { recursive: true, mode: 0o700 })
    for (const dir of [this.#dirOf(id), this.#dir]) syncDirectory(dir)
    // Another driver may have run the app before, with another user.
    if (owner !== undefined && (await lstat(data)).uid !== owner) await this.#giveTo(owner, [data])
    return data
  }

  async snapshot(id: string, snapshotId: string): Promise<number> {
    const target = this.#snapshot(id, snapshotId)
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
    await copyTree(path.join(this.#dirOf(id), 'data'), target)
    return await du(['--block-size=1'], [target])
  }

  async restore(id: string, snapshotId: string): Promise<void> {
    const [data, former] = ['data', 'former'].map(name => path.join(this.#dirOf(id), name)) as [
      string,
      string,
    ]
    const copy = path.join(this.#dirOf(id), 'restored')
    await this.#reading(id, snapshotId, dir => copyTree(dir, copy))
    await removeTree(former)
    await rename(data, former).catch(ifMissing)
    await rename(copy, data)
    syncDirectory(this.#dirOf(id))
    await removeTree(former)
  }

  async copy(id: string, from: { id: string; snapshotId: string }): Promise<void> {
    await mkdir(this.#dirOf(id), { recursive: true, mode: 0o700 })
    const data = path.join(this.#dirOf(id), 'data')
    await this.#reading(from.id, from.snapshotId, dir => copyTree(dir, data))
  }

  async keepSnapshots(id: string, snapshotIds: readonly string[]): Promise<void> {
    const dir = path.join(this.#dirOf(id), 'snapshots')
    for (const name of await readdir(dir)) {
      const snapshotId = name.replace(/\.(tar|part)$/, '')
      // One that is read goes next time: a copy would end in the middle, and seem whole.
      const isRead = this.#readers.has(path.join(dir, snapshotId))
      if (isRead || snapshotIds.includes(snapshotId)) continue
      // Under another name, so that no copy begins while its files go. What is left of it goes next time.
      const trash = path.join(dir, `${snapshotId}.${randomText(8)}.removed`)
      renameSync(path.join(dir, name), trash)
      await removeTree(trash)
    }
  }

  async download(id: string, snapshotId: string): Promise<Readable> {
    return await new Promise((resolve, reject) => {
      this.#reading(id, snapshotId, async dir => {
        const args = ['tar', ...archived, '--directory', dir, '--create', '--file', '-', '.']
        const tar = startProgram('nice', args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
        resolve(passOutput({ name: 'tar', child: tar }, new PassThrough()))
        await endOf(tar)
      }).catch(reject)
    })
  }

  async archive(id: string, snapshotId: string, file: string): Promise<boolean> {
    if (!this.#has(id, snapshotId)) return false
    await this.#reading(id, snapshotId, dir =>
      run('tar', [...archived, '--directory', dir, '--create', '--file', file, '.']),
    )
    return true
  }

  /** The snapshot stays until the work is done. */
  async #reading<T>(id: string, snapshotId: string, work: (dir: string) => Promise<T>): Promise<T> {
    const dir = this.#snapshot(id, snapshotId)
    if (!this.#has(id, snapshotId)) throw new Fault('not_found', 'The disk has no such snapshot.')
    this.#readers.set(dir, (this.#readers.get(dir) ?? 0) + 1)
    try {
      // Two readers of one archive must not unpack it into each other's files.
      if (!this.#unpacking.has(dir)) {
        const unpacking = this.#unpacked(id, snapshotId).finally(() => this.#unpacking.delete(dir))
        this.#unpacking.set(dir, unpacking)
      }
      return await work(await this.#unpacking.get(dir)!)
    } finally {
      const left = this.#readers.get(dir)! - 1
      if (left === 0) this.#readers.delete(dir)
      else this.#readers.set(dir, left)
    }
  }

  /** The directory of a snapshot. That of a restored backup is a tar archive at first. */
  async #unpacked(id: string, snapshotId: string): Promise<string> {
    const dir = this.#snapshot(id, snapshotId)
    const archive = this.#archive(id, snapshotId)
    if (existsSync(dir) || !existsSync(archive)) return dir
    const part = `${dir}.part`
    await removeTree(part)
    await mkdir(part, { recursive: true, mode: 0o700 })
    await run('tar', [
      '--extract',
      '--numeric-owner',
      '--preserve-permissions',
      '--directory',
      part,
      '--file',
      archive,
    ])
    await rename(part, dir)
    await removeTree(archive)
    return dir
  }

  async measure(id: string): Promise<DiskMeasure> {
    const dirs = [path.join(this.#dirOf(id), 'data')]
    const [bytes, files] = [await du(['--block-size=1'], dirs), await du(['--inodes'], dirs)]
    return {
      usedBytes: Math.max(bytes, files * leastBytes),
      unlinkedBytes: await unlinkedBytes(`/${id}/data`),
    }
  }

  async freeBytes(): Promise<number> {
    return (await diskSpace(this.#dir)).freeBytes
  }

  async remove(id: string): Promise<void> {
    const trash = path.join(this.#dir, `${id}.${randomText(8)}.removed`)
    await rename(this.#dirOf(id), trash).catch(ifMissing)
    // Also what an interrupted removal left.
    await run('find', [
      this.#dir,
      '-mindepth',
      '1',
      '-maxdepth',
      '1',
      '-name',
      `${id}.*.removed`,
      ...removing,
    ])
  }

  #has(id: string, snapshotId: string): boolean {
    return existsSync(this.#snapshot(id, snapshotId)) || existsSync(this.#archive(id, snapshotId))
  }

  #snapshot(id: string, snapshotId: string): string {
    if (!/^snp_[a-z0-9]{16}$/.test(snapshotId)) throw new Error(`'${snapshotId}' is no id of a snapshot`)
    return path.join(this.#dirOf(id), 'snapshots', snapshotId)
  }

  /** As a backup has it. */
  #archive(id: string, snapshotId: string): string {
    return `${this.#snapshot(id, snapshotId)}.tar`
  }

  /** Ids come from the database, which a restored backup may have filled. */
  #dirOf(id: string): string {
    if (!/^dsk_[a-z0-9]{16}$/.test(id)) throw new Error(`'${id}' is no id of a disk`)
    return path.join(this.#dir, id)
  }
}

/** `rm` is not limited by the length of paths, as a tree may be deeper than a path can be long. */
const removing = ['-exec', 'rm', '--recursive', '--force', '--one-file-system', '--', '{}', ';']

/** Sparse files stay small, and names of users of this machine are left out. */
const archived = ['--sparse', '--numeric-owner', '--sort=name', '--format=pax']

/** The copy has its name only when it is whole and durable. */
async function copyTree(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  await removeTree(part)
  await copyDeepTree(from, part)
  await run('sync', ['--file-system', part])
  await removeTree(to)
  await rename(part, to)
  syncDirectory(path.dirname(to))
}

const removeTree = (it: string): Promise<void> =>
  run('rm', ['--recursive', '--force', '--one-file-system', '--', it])

const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/** Runs `du`, which does not block the event loop, follows no links, and is not limited by the length of paths. */
async function du(options: string[], dirs: readonly string[]): Promise<number> {
  const args = ['du', '--summarize', '--total', ...options, '--one-file-system', '--', ...dirs]
  const du = startProgram('nice', args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  du.stdout.on('data', chunk => {
    text += chunk
  })
  await endOf(du)
  const total = text.split('\n').find(line => line.endsWith('\ttotal'))
  return Number(total?.split('\t')[0] ?? 0)
}

async function run(program: string, args: string[]): Promise<void> {
  const child = startProgram('nice', [program, ...args], { env, stdio: 'ignore' })
  const code = await endOf(child)
  if (code !== 0) throw new Error(`${program} ended with code ${code}`)
}

function ifMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
