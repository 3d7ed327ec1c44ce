// The cache archives on this machine. An archive never changes. When space runs out, the owner who uses the most loses those that
// were not used for longest.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface CacheScope {
  projectId: string
  /** `undefined` for the production branch. */
  branch: string | undefined
}

export interface CacheName {
  kind: 'packages' | 'downloads' | 'tools' | 'framework'
  /** The cache key. */
  key: string
}

interface CacheEntry {
  file: string
  bytes: number
  /** The hash of the contents. */
  sha256: string
}

/** The content of the archive does not match its checksum. */
class DamagedCache extends Error {
  override readonly name = 'DamagedCache'
}

/** One project may use at most a quarter of the space. */
const shareOfProject = 4
const production = 'production'
const entryName = /^(packages|downloads|tools|framework)-([0-9a-f]{32})-([0-9a-f]{64})\.tar$/

interface StoredArchive {
  file: string
  bytes: number
  usedAt: number
  project: string
}

export class CacheStore {
  readonly #dir: string
  readonly #bytes: number
  readonly #ownersOf: (projectIds: string[]) => Promise<Map<string, string>>

  constructor(dir: string, bytes: number, ownersOf: (projectIds: string[]) => Promise<Map<string, string>>) {
    this.#dir = dir
    this.#bytes = bytes
    this.#ownersOf = ownersOf
  }

  get bytesPerProject(): number {
    return this.#bytes / shareOfProject
  }

  /** Finds an archive of the branch, else of production. A branch never sees archives of another branch. */
  async find(scope: CacheScope, name: CacheName): Promise<CacheEntry | undefined> {
    const own = await this.#findIn(this.#folderOf(scope), name)
    if (own || scope.branch === undefined) return own
    return await this.#findIn(this.#folderOf({ ...scope, branch: undefined }), name)
  }

  /** Copies the archive for a build. If its checksum is wrong, removes it and throws DamagedCache. */
  async copyOut(entry: CacheEntry, to: string): Promise<void> {
    const hash = hashing()
    await pipeline(
      createReadStream(entry.file),
      hash.stream,
      createWriteStream(to, { mode: 0o644, flags: 'wx' }),
    )
    if (hash.digest() !== entry.sha256) {
      await this.remove(entry)
      throw new DamagedCache('the archive is damaged')
    }
    const now = new Date()
    await utimes(entry.file, now, now).catch(() => undefined) // Another build may have removed it meanwhile.
  }

  /** Moves the file into the cache and replaces an archive of the same name. */
  async add(scope: CacheScope, name: CacheName, file: string): Promise<void> {
    const { size } = await requirePlainFile(file)
    if (size > this.bytesPerProject) return await rm(file, { force: true })
    const hash = hashing()
    hash.stream.resume()
    await pipeline(createReadStream(file), hash.stream)
    const folder = this.#folderOf(scope)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const before = await this.#findIn(folder, name)
    const target = path.join(folder, `${name.kind}-${digestOf(name.key)}-${hash.digest()}.tar`)
    await chmod(file, 0o600)
    await rename(file, target)
    if (before && before.file !== target) await this.remove(before)
    await this.#bound()
  }

  async remove(entry: CacheEntry): Promise<void> {
    await unlink(entry.file).catch(() => undefined) // Another build has removed it meanwhile.
  }

  /** Removes the archives of deleted projects. `keeps` returns which of the ids still exist. */
  async forgetProjects(keeps: (ids: string[]) => Promise<Set<string>>): Promise<void> {
    const ids = await namesIn(this.#dir)
    if (ids.length === 0) return
    const kept = await keeps(ids)
    for (const id of ids)
      if (!kept.has(id)) await rm(path.join(this.#dir, id), { recursive: true, force: true })
  }

  #folderOf({ projectId, branch }: CacheScope): string {
    const name = branch === undefined ? production : `branch-${digestOf(branch)}`
    return path.join(this.#dir, projectId, name)
  }

  async #findIn(folder: string, { kind, key }: CacheName): Promise<CacheEntry | undefined> {
    const wanted = digestOf(key)
    for (const name of await namesIn(folder)) {
      const [, itsKind, itsKey, sha256 = ''] = entryName.exec(name) ?? []
      if (itsKind !== kind || itsKey !== wanted) continue
      const file = path.join(folder, name)
      const found = await stat(file).catch(() => undefined) // Removed meanwhile.
      if (found) return { file, bytes: found.size, sha256 }
    }
    return undefined
  }

  /** Removes the least recently used archives until each project and the total are within their limits. */
  async #bound(): Promise<void> {
    const archives = (await this.#archives()).sort((a, b) => a.usedAt - b.usedAt)
    const ofProject = bytesBy(archives, ({ project }) => project)
    const kept: StoredArchive[] = []
    for (const archive of archives) {
      const used = ofProject.get(archive.project) ?? 0
      if (used <= this.bytesPerProject) kept.push(archive)
      else {
        ofProject.set(archive.project, used - archive.bytes)
        await removeFile(archive)
      }
    }
    let excess = kept.reduce((sum, { bytes }) => sum + bytes, 0) - this.#bytes
    if (excess <= 0) return
    // Whoever has many projects makes room among their own archives, and not among those of others.
    const owners = await this.#ownersOf([...ofProject.keys()])
    const ownerOf = ({ project }: StoredArchive) => owners.get(project) ?? ''
    const ofOwner = bytesBy(kept, ownerOf)
    while (excess > 0) {
      const [[owner, used] = ['', 0]] = [...ofOwner].sort(([, a], [, b]) => b - a)
      const [archive] = kept.splice(
        kept.findIndex(archive => ownerOf(archive) === owner),
        1,
      )
      if (!archive) return
      ofOwner.set(owner, used - archive.bytes)
      excess -= archive.bytes
      await removeFile(archive)
    }
  }

  async #archives(): Promise<StoredArchive[]> {
    const found: StoredArchive[] = []
    for (const project of await namesIn(this.#dir))
      for (const folder of await namesIn(path.join(this.#dir, project)))
        for (const name of await namesIn(path.join(this.#dir, project, folder))) {
          const file = path.join(this.#dir, project, folder, name)
          const stats = await stat(file).catch(() => undefined) // Removed meanwhile.
          if (stats) found.push({ file, bytes: stats.size, usedAt: stats.mtimeMs, project })
        }
    return found
  }
}

function bytesBy(archives: StoredArchive[], keyOf: (archive: StoredArchive) => string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const archive of archives) {
    const key = keyOf(archive)
    sums.set(key, (sums.get(key) ?? 0) + archive.bytes)
  }
  return sums
}

const removeFile = ({ file }: StoredArchive): Promise<void> => rm(file, { recursive: true, force: true })

/** A build made the file, so it may be a symbolic link, or have a second hard link that the build can still write to. */
async function requirePlainFile(file: string) {
  const found = await lstat(file)
  if (!found.isFile() || found.nlink !== 1)
    throw new Error(`not a regular file with a single hard link: ${path.basename(file)}`)
  return found
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

function hashing() {
  const hash = createHash('sha256')
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, digest: () => hash.digest('hex') }
}

/** Empty if there is no such folder. */
const namesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => [])
