// Collects the files of a drop or a file picker, with those in folders.
import { limits } from '@svc/contract/limits'
import { isExcluded, tooManyFiles } from '@svc/contract/site'
import { Refusal, type SiteFile, siteFile, stripFolder } from './selection.ts'

export interface Collection {
  /** Name of the one folder that was chosen, or empty. */
  folder: string
  files: SiteFile[]
}

/** Reads a drop. The entries are taken synchronously: the browser forgets them once the event is over. */
export function collectDrop(transfer: DataTransfer): Promise<Collection> {
  const items = [...transfer.items].filter(item => item.kind === 'file')
  const entries = items.map(item => item.webkitGetAsEntry()).filter(entry => entry !== null)
  if (entries.length === 0) return Promise.resolve(collectFiles(transfer.files))
  return collectEntries(entries)
}

/** Reads a file or folder picker. */
export function collectFiles(list: FileList): Collection {
  return stripFolder([...list].map(file => siteFile(file.webkitRelativePath || file.name, file)))
}

async function collectEntries(entries: FileSystemEntry[]): Promise<Collection> {
  const [only] = entries
  const folder = entries.length === 1 && only && isFolder(only) ? only : undefined
  const top = folder ? `${folder.fullPath}/`.length : '/'.length
  const pathOf = (entry: FileSystemEntry) => entry.fullPath.slice(top)
  const found = await findFiles(folder ? await readFolder(folder) : entries, pathOf)
  const files = found.map(async entry => siteFile(pathOf(entry), await fileOf(entry)))
  return { folder: folder?.name ?? '', files: await Promise.all(files) }
}

/** All files at and below the entries, one level of folders after the other. */
async function findFiles(
  entries: FileSystemEntry[],
  pathOf: (entry: FileSystemEntry) => string,
): Promise<FileSystemFileEntry[]> {
  const files: FileSystemFileEntry[] = []
  for (let level = entries; level.length > 0; ) {
    const folders = level.filter(isFolder).filter(folder => !isExcluded(pathOf(folder), 'folder'))
    files.push(...level.filter(isFile).filter(file => !isExcluded(pathOf(file), 'file')))
    // Stop here and not at the end: the user may have dropped a whole disk.
    if (files.length > limits.files) throw new Refusal(tooManyFiles)
    level = (await Promise.all(folders.map(readFolder))).flat()
  }
  return files
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

const unreadable = (entry: FileSystemEntry) =>
  new Refusal(
    `${entry.fullPath.slice(1)} cannot be read. Check that it still exists and that you may read it.`,
  )

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, () => reject(unreadable(entry))))
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  // The reader hands out a batch at a time, and an empty one at the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, () => reject(unreadable(folder))),
    )
    if (batch.length === 0) return entries
    entries.push(...batch)
  }
}
