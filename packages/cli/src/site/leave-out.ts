// Offers on a terminal to leave out files that look like secrets. The answer is kept in .svcignore.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { ignoreFile } from '@svc/contract/site'
import { fileFailure } from '../failure.ts'
import { clean, notice } from '../output.ts'
import { canAsk, confirm } from '../prompt.ts'
import type { Site } from './list.ts'

const mostNamed = 5

/** Returns the paths to leave out: all of them, or none. */
export async function offerToLeaveOut(
  secrets: readonly string[],
  { files }: Site,
  { yes }: { yes: boolean },
): Promise<ReadonlySet<string>> {
  const known = new Set(rulesHere().split(/\r?\n/))
  const paths = secrets.filter(path => !/[\r\n]/.test(path) && !known.has(`!${ruleOf(path)}`))
  if (paths.length === 0 || paths.length === files.length || yes || !canAsk()) return new Set()
  notice(`${nameAll(paths)} ${paths.length === 1 ? 'looks like a secret' : 'look like secrets'}.`)
  const them = paths.length === 1 ? 'it' : 'them'
  const isLeftOut = await confirm(`Leave ${them} out, now and later?`, true)
  addRules(paths.map(path => (isLeftOut ? ruleOf(path) : `!${ruleOf(path)}`)))
  if (!isLeftOut) {
    notice(`Noted in ${ignoreFile}.`)
    return new Set()
  }
  const isEnvironment = paths.includes('.env') ? ' The app can have its variables: svc env import .env' : ''
  notice(`Added to ${ignoreFile}.${isEnvironment}`)
  return new Set(paths)
}

function nameAll(paths: string[]): string {
  const rest = paths.length - mostNamed
  const named = paths.slice(0, mostNamed).map(clean)
  return [...named, ...(rest > 0 ? [`${rest} more files`] : [])].join(', ')
}

/** A rule for exactly this path. */
const ruleOf = (path: string): string => `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`

const rulesHere = (): string => (existsSync(ignoreFile) ? readFileSync(ignoreFile, 'utf8') : '')

function addRules(rules: string[]): void {
  try {
    const before = rulesHere()
    const start = before === '' || before.endsWith('\n') ? '' : '\n'
    appendFileSync(ignoreFile, start + rules.map(rule => `${rule}\n`).join(''))
  } catch (error) {
    throw fileFailure('write', ignoreFile, error)
  }
}
