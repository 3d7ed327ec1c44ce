// Reads single settings and says what is wrong with them.
import { Secret } from '../lib/secret.ts'

/** One bad setting: which, and what is wrong with it. */
export class SettingError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'SettingError'
  }
}

export type Source = Record<string, string | undefined>

export function text(source: Source, name: string, fallback: string): string {
  return source[name]?.trim() || fallback
}

export function whole(source: Source, name: string, fallback: number, min: number, max: number): number {
  const value = text(source, name, String(fallback))
  if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max)
    throw new SettingError(name, `must be a whole number from ${min} to ${max}, not '${value}'`)
  return Number(value)
}

export interface Rule {
  pattern: RegExp
  problem: string
}

export function matching(source: Source, name: string, fallback: string, { pattern, problem }: Rule): string {
  const value = text(source, name, fallback)
  if (!pattern.test(value)) throw new SettingError(name, `${problem}, not '${value}'`)
  return value
}

export function choice<T extends string>(
  source: Source,
  name: string,
  fallback: T,
  options: readonly T[],
): T {
  const value = text(source, name, fallback)
  const found = options.find(option => option === value)
  if (!found) throw new SettingError(name, `must be one of ${options.join(', ')}, not '${value}'`)
  return found
}

export function secret(source: Source, name: string): Secret | undefined {
  const value = text(source, name, '')
  return value === '' ? undefined : new Secret(value)
}

export function url(source: Source, name: string, protocols: string[]): Secret | undefined {
  const value = text(source, name, '')
  if (value === '') return undefined
  // The value may hold a password, so no message repeats it.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
    throw new SettingError(
      name,
      `must be a URL that begins with ${protocols.map(p => `${p}//`).join(' or ')}`,
    )
  return new Secret(value)
}
