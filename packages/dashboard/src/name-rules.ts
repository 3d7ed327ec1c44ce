// The rules of a project's or an org's name, each in words, so that the form can tick them off while one types.
import { namePattern, reservedNames, sharePrefix } from '@svc/contract/limits'

interface Rule {
  words: string
  holds(name: string): boolean
}

export const nameRules: readonly Rule[] = [
  { words: '3 to 40 characters', holds: name => name.length >= 3 && name.length <= 40 },
  { words: 'Lower-case letters, digits and dashes', holds: name => /^[a-z0-9-]*$/.test(name) },
  { words: 'No dash at an end, no two in a row', holds: name => !/^-|-$|--/.test(name) },
]

/** Why the platform would refuse the name, or nothing. */
export function nameProblem(name: string): string | undefined {
  if (!namePattern.test(name)) return 'This name breaks a rule below.'
  if ((reservedNames as readonly string[]).includes(name)) return `“${name}” belongs to the platform itself.`
  if (name.startsWith(sharePrefix))
    return `Names that begin with “${sharePrefix}” are kept for temporary shares.`
  return undefined
}

/** Turns typed text into a valid name where that does not surprise the user. */
export const asTyped = (typed: string) => typed.toLowerCase().replace(/[\s_.]+/g, '-')

/** A name made from a folder's, by the rule of `svc init`. */
export const nameFromFolder = (folder: string) =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-$/, '')
