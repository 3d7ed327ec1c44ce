// Gathers the files of a drop or a picker, walking into folders, with their paths.
import { limits } from '@svc/contract/limits'
import { isSkippedName, Refusal, type SiteFile, stripFolder } from './selection.ts'

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
  return walkAll(entries)
}

async function walkAll(entries: FileSystemEntry[]): Promise<Collection> {
  const [only] = entries
  if (entries.length === 1 && only?.isDirectory) {
    const files: SiteFile[] = []
    for (const child of await readFolder(only as FileSystemDirectoryEntry)) await walk(child, '', files)
    return { folder: only.name, files }
  }
  const files: SiteFile[] = []
  for (const entry of entries) await walk(entry, '', files)
  return { folder: '', files }
}

async function walk(entry: FileSystemEntry, parent: string, files: SiteFile[]): Promise<void> {
  const path = parent ? `${parent}/${entry.name}` : entry.name
  if (entry.isDirectory) {
    if (isSkippedName(entry.name)) return
    for (const child of await readFolder(entry as FileSystemDirectoryEntry)) await walk(child, path, files)
    return
  }
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  )
  files.push({ path, file })
  // One more than is allowed (and a svc.json that does not count) is enough to know.
  if (files.length > limits.files + 1) throw new Refusal('Site exceeds the 10,000 file limit.')
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  // The reader hands out a batch at a time, and an empty one at the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return entries
    entries.push(...batch)
  }
}

/** Reads a file or folder picker. */
export function collectFiles(list: FileList): Collection {
  return stripFolder([...list].map(file => ({ path: file.webkitRelativePath || file.name, file })))
}
