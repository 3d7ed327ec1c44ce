// The findings of the compatibility report. A stop ends the import before anything is created. Warnings and notes do not.
import { clean } from '../output.ts'

export type Level = 'stop' | 'warning' | 'note'

interface Finding {
  level: Level
  /** Where it was found, such as `vercel.json redirects[2]`. */
  where: string
  text: string
}

/** A configuration with thousands of rules must not flood the terminal. */
const most = 200

export class Findings {
  readonly list: Finding[] = []
  #omitted = 0

  stop = (where: string, text: string): void => this.#add('stop', where, text)
  warn = (where: string, text: string): void => this.#add('warning', where, text)
  note = (where: string, text: string): void => this.#add('note', where, text)

  get hasStops(): boolean {
    return this.list.some(({ level }) => level === 'stop')
  }

  /** How many findings there were beyond those in the list. */
  get omitted(): number {
    return this.#omitted
  }

  /** Removes terminal commands, because names and paths come from files that others wrote. */
  #add(level: Level, where: string, text: string): void {
    if (this.list.length >= most && level !== 'stop') this.#omitted++
    else this.list.push({ level, where: shortened(clean(where)), text: shortened(clean(text)) })
  }
}

const longest = 400
const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
