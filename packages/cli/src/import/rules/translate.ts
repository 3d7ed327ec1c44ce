// Shared by the translations for both platforms: a rule is translated exactly, or a warning names it and says why not.
import { platformHeaders } from '@svc/contract/site'
import type { Findings } from '../findings.ts'
import { type Fields, textOf } from '../untrusted.ts'
import { Untranslatable } from './source-pieces.ts'

/** `vercel.json redirects[2] (/old)` */
export const placeOf = (file: string, key: string, index: number, source: unknown): string =>
  `${file} ${key}[${index}]${typeof source === 'string' ? ` (${source})` : ''}`

/** Runs a translation. If it fails, adds a warning that names the rule. */
export function attempt<T>(findings: Findings, where: string, translate: () => T[]): T[] {
  try {
    return translate()
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    findings.warn(where, `Not translated: ${error.message}.`)
    return []
  }
}

export function requireText(rule: Fields, field: string): string {
  const text = textOf(rule[field])
  if (text === undefined) throw new Untranslatable(`it has no '${field}'`)
  return text
}

/** A name that begins with # or ! would be a comment or a removal. */
const headerName = /^[$%&'*+.^_`|~0-9A-Za-z-][!#$%&'*+.^_`|~0-9A-Za-z-]*$/

/** Returns a header in the form of `_headers`. If `_headers` cannot set it, adds a warning and returns nothing. */
export function headerOf({ key, value }: Fields, where: string, findings: Findings): [string, string][] {
  const name = textOf(key) ?? ''
  const text = (textOf(value) ?? '').replace(/\s+/g, ' ').trim()
  const problem = !headerName.test(name)
    ? 'its name is not valid'
    : platformHeaders.has(name.toLowerCase())
      ? 'the platform sets it itself'
      : text === '' || /[^\t\x20-\x7e\xa0-\xff]/.test(text)
        ? 'its value is empty or has characters that headers cannot carry'
        : undefined
  if (problem !== undefined)
    findings.warn(where, `The header ${name || '(without a name)'} is left out: ${problem}.`)
  return problem === undefined ? [[name, text]] : []
}
