// The names that projects may have, and how a directory's name becomes one.
import { Failure } from './failure.ts'

const pattern = /^[a-z0-9-]{3,40}$/
const rule = '3 to 40 characters of a-z, 0-9 and -'

/** Returns the given name, or one made from the directory's name. `retry` is the command that takes another name. */
export function projectName(asked: string | undefined, directory: string, retry: string): string {
  if (asked === undefined) {
    const derived = derive(directory)
    if (pattern.test(derived)) return derived
    throw new Failure(`'${directory}' gives no project name (${rule}). Pass one: ${retry}`)
  }
  if (!pattern.test(asked)) throw new Failure(`Invalid project name '${asked}': use ${rule}.`)
  return asked
}

export function derive(directory: string): string {
  const name = directory
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
  let end = name.length
  while (name[end - 1] === '-') end--
  return name.slice(0, end)
}
