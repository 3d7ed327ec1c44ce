// Reads the archive of a project. It may come from anywhere: names, sizes and fields are checked before anything is written.
import { packBytesAtMost } from '../../core/deployments/archive/foreign-pack.ts'
import {
  descriptionBytes,
  type ProjectDescription,
  projectDescription,
} from '../../core/projects/archive/shape.ts'
import { Fault } from '../../lib/fault.ts'
import type { TarHandlers } from '../../lib/tar.ts'
import { packIdOf } from '../backup/format.ts'
import { type ArchiveSource, manifestBytesAtMost, readWhole } from '../backup/read-archive.ts'
import { descriptionName, type ProjectManifest, projectManifest, projectManifestName } from './format.ts'

/** Reads the archive to its end, without keeping the packs. */
export async function readDescription(source: ArchiveSource): Promise<ProjectDescription> {
  const entries = new Entries()
  await readWhole(source, entries)
  try {
    return entries.description()
  } catch (error) {
    throw error instanceof SyntaxError ? source.refusal(error) : error
  }
}

class Entries implements TarHandlers {
  #files = 0
  /** The parts of the entry that is being read, unless it is a pack. */
  #text: Buffer[] | undefined
  #name = ''
  readonly #texts = new Map<string, string>()
  readonly #packs = new Set<string>()

  onFile({ path, size }: { path: Buffer; size: number }): void {
    const name = path.toString()
    this.#name = name
    const isPack = packIdOf(name) !== undefined
    const most = this.#files === 0 ? manifestBytesAtMost : isPack ? packBytesAtMost : descriptionBytes
    const isKnown = this.#files === 0 ? name === projectManifestName : isPack || name === descriptionName
    if (!isKnown || size > most || this.#packs.has(name) || this.#texts.has(name))
      throw new Fault('invalid_archive', 'A file of the archive does not belong into it.')
    this.#files++
    this.#text = isPack ? undefined : []
    if (isPack) this.#packs.add(name)
  }

  onData(slice: Buffer): void {
    this.#text?.push(Buffer.from(slice))
  }

  onFileEnd(): void {
    if (this.#text) this.#texts.set(this.#name, Buffer.concat(this.#text).toString())
    this.#text = undefined
  }

  finish(): ProjectManifest {
    const manifest = projectManifest.safeParse(this.#read(projectManifestName))
    if (!manifest.success || manifest.data.files !== this.#files - 1)
      throw new Fault('invalid_archive', 'The files are not those of the manifest.')
    return manifest.data
  }

  description(): ProjectDescription {
    const read = projectDescription.safeParse(this.#read(descriptionName))
    if (read.success) return read.data
    const { path, message } = read.error.issues[0]!
    throw new Fault(
      'invalid_archive',
      `The archive cannot be used: ${path.join('.')}: ${message}. It may be of a newer svcd.`,
    )
  }

  #read(name: string): unknown {
    const text = this.#texts.get(name)
    if (text === undefined) throw new Fault('invalid_archive', `The archive has no ${name}.`)
    return JSON.parse(text)
  }
}
