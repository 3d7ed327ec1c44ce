// The checked-out files of a build, as plans see them: paths with `/` between their parts, relative to the repository.
export interface SourceFiles {
  hasFile(path: string): Promise<boolean>
  hasFolder(path: string): Promise<boolean>
  /** `undefined` if it is missing, is not a plain file, or is larger than `atMost` bytes (1 MB unless told). */
  read(path: string, atMost?: number): Promise<string | undefined>
  /** The names of the folders in a folder; empty if there is none. */
  folders(path: string): Promise<string[]>
}

/** `''` is the repository itself. */
export const below = (folder: string, path: string): string =>
  folder === '' ? path : path === '' ? folder : `${folder}/${path}`
