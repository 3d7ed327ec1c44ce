import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whether every user of the machine may read the folder and come to it. A checkout below /root is usually closed to others. */
export function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & 0o005) !== 0o005) return false
  return folder === dirname(folder) || isOpenToAll(dirname(folder))
}
