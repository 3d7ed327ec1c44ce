// The version of Node that a deploy asks for, where the uploaded folder itself does not say it.
import { relative, resolve, sep } from 'node:path'
import { nodeAskedIn } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { nodeSetting } from '../link.ts'

/**
 * What svc.json asks for, which is not uploaded, or the files of the project around a built folder. `undefined` if the folder
 * says it itself, or if nothing does.
 */
export async function nodeOutside(folder: string): Promise<string | undefined> {
  const setting = nodeSetting()
  if (setting !== undefined) return setting
  const dir = relative(resolve('.'), resolve(folder)).split(sep).join('/')
  if (dir === '' || dir.startsWith('..') || resolve(dir) !== resolve(folder)) return undefined
  const files = diskFiles('.')
  if (await nodeAskedIn(files, dir, dir)) return undefined
  return (await nodeAskedIn(files, ''))?.range
}
