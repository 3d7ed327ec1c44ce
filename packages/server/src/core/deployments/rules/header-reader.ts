// Reads the lines of `_headers` into rules.
import { Credentials, isPasswordLine, isPasswordMisspelled } from './basic-auth.ts'
import { type HeaderChange, looksLikeHeader, readHeaderLine } from './header-line.ts'
import { type Pattern, readPattern } from './pattern.ts'
import { readSource, type Source } from './source.ts'
import { Warnings } from './warnings.ts'

export interface HeaderRule {
  line: number
  from: Source
  changes: HeaderChange[]
  /** The length of the text of all changes. */
  size: number
  /** The users who may open the paths. `null` if the rule removes the protection by earlier rules. */
  guard: Credentials | null | undefined
}

const limits = { rules: 200, users: 1_000, lineLength: 2_000 }
/** Clients do not accept more. */
export const mostBytes = 16 * 1024

const tooLong = `the line is longer than ${limits.lineLength} characters`
const ignored = 'The line is ignored.'
const nobody = 'Nobody can open the site until you correct'
const isPath = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i
const passwordAfterPath = /\sbasic-auth\s*:/i
const everything: Source = { host: undefined, path: readPattern('/*') as Pattern, isStatic: false }

export class HeaderReader {
  readonly rules: HeaderRule[] = []
  readonly warnings = new Warnings('_headers')
  #current: HeaderRule | undefined
  /** A line after the current path is no header. It may be a path that lacks its slash. */
  #mayLackPath = false
  #line = 0
  #users = 0

  /** Indentation makes no difference. */
  read(written: string): void {
    this.#line++
    const words = written.trim()
    if (words === '' || words.startsWith('#')) return
    if (isPath.test(words)) this.#current = this.#readPath(words)
    else if (isPasswordLine(words)) this.#readPassword(words, this.#current)
    else if (this.#current === undefined) this.#warn('a header must follow the path that it is for', ignored)
    else this.#readHeader(words, this.#current)
  }

  /** To be called if a part of the file that is not read mentions Basic-Auth. */
  lockForUnread(): void {
    this.#line++
    this.#lock(
      'Basic-Auth is in a part of the file, or in a second _headers, that is not read',
      'Nobody can open the site until you shorten or merge them.',
    )
  }

  #warn(problem: string, done: string): void {
    this.warnings.add(this.#line, problem, done)
  }

  /** If a path is refused, its rule and its headers are ignored. */
  #readPath(words: string): HeaderRule {
    this.#mayLackPath = false
    if (passwordAfterPath.test(words))
      this.#lock('Basic-Auth must stand on a line of its own, below the path', `${nobody} the line.`)
    const from = words.length > limits.lineLength ? tooLong : readSource(withoutComment(words))
    const rule: HeaderRule = { line: this.#line, from: everything, changes: [], size: 0, guard: undefined }
    const done = 'The path and its headers are ignored.'
    if (typeof from === 'string') this.#warn(from, done)
    else if (this.rules.length >= limits.rules) this.#warn(`there are more than ${limits.rules} paths`, done)
    else this.rules.push(Object.assign(rule, { from }))
    return rule
  }

  #readHeader(words: string, rule: HeaderRule): void {
    const header = words.length > limits.lineLength ? tooLong : readHeaderLine(words)
    if (!looksLikeHeader(words)) this.#mayLackPath = true
    if (typeof header === 'string') this.#warn(header, ignored)
    else if (header.name === 'basic-auth') rule.guard = null
    else this.#add(header, words.length, rule)
  }

  #add(change: HeaderChange, size: number, rule: HeaderRule): void {
    rule.size += size
    if (rule.size > mostBytes) this.#warn(`the headers of this path exceed ${mostBytes} bytes`, ignored)
    else rule.changes.push(change)
  }

  #readPassword(words: string, rule: HeaderRule | undefined): void {
    const isKnown = rule !== undefined && this.rules.includes(rule)
    if (isKnown) this.#protect(words, rule)
    if (!isKnown || this.#mayLackPath)
      this.#lock('Basic-Auth must follow the path that it protects', `${nobody} the path.`)
  }

  /**
   * Never fails open: a path that should be protected, but has an invalid line, is closed to everybody. Warnings do not
   * contain passwords.
   */
  #protect(words: string, rule: HeaderRule): void {
    rule.guard ??= new Credentials()
    const isMisspelled = isPasswordMisspelled(words)
    const entries =
      isMisspelled || words.length > limits.lineLength
        ? []
        : words
            .slice(words.indexOf(':') + 1)
            .trim()
            .split(/\s+/)
    const users = entries.filter(entry => /^[^:]+:./.test(entry))
    const room = limits.users - this.#users
    for (const user of users.slice(0, room)) rule.guard.add(user)
    this.#users += Math.min(users.length, room)
    if (isMisspelled)
      this.#warn('Basic-Auth is written `Basic-Auth: user:password`', 'The line opens nothing.')
    else if (users.length < entries.length || users.length === 0)
      this.#warn('Basic-Auth must list user:password, separated by spaces', 'Other entries open nothing.')
    if (users.length > room)
      this.#warn(`there are more than ${limits.users} users of Basic-Auth`, 'The others open nothing.')
    if (rule.guard.isEmpty) this.#warn('Basic-Auth lists nobody', 'Nobody can open the path.')
  }

  /** Closes the whole site, because it is not known which path should be protected. */
  #lock(problem: string, done: string): void {
    this.#warn(problem, done)
    if (this.rules.some(({ from, guard }) => from === everything && guard)) return
    this.rules.push({ line: this.#line, from: everything, changes: [], size: 0, guard: new Credentials() })
  }
}

/** A path may contain spaces; a comment may follow it. */
function withoutComment(words: string): string {
  const comment = words.search(/\s#/)
  return comment < 0 ? words : words.slice(0, comment).trimEnd()
}
