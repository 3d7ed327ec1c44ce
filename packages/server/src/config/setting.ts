// A row of the table of settings, and its default.
import type { Secret } from '../lib/secret.ts'
import type { Kind } from './kinds.ts'

export interface Setting<T> {
  /** The name of the environment variable. */
  variable: string
  kind: Kind<Exclude<T, undefined>>
  fallback: Default<T>
  /** For the docs; Markdown. */
  meaning: string
}

/** The values that a table of settings gives. */
export type SettingsOf<Rows> = { [K in keyof Rows]: Rows[K] extends Setting<infer T> ? T : never }

/** The value of a setting that the operator does not set. */
interface Default<T> {
  /** For the docs; Markdown. `undefined`: the value itself. */
  words?: string
  from(earlier: Earlier): T
}

/** The settings that defaults of later rows depend on. */
export interface Earlier {
  platformDomain: string
  signups: 'open' | 'invite' | 'closed'
  dockerOutbound: 'on' | 'off'
  runtimeImage: string
  githubUrl: string
  stripeSecretKey: Secret | undefined
  acmeEmail: string | undefined
}

/** A default with the words that explain it. */
class Explained<T> implements Default<T> {
  readonly words: string
  readonly from: (earlier: Earlier) => T
  constructor(words: string, from: (earlier: Earlier) => T) {
    this.words = words
    this.from = from
  }
}

export const computed = <T>(words: string, from: (earlier: Earlier) => T): Explained<T> =>
  new Explained(words, from)

/** No value; `words` say what svcd does then. */
export const unset = (words = 'none'): Explained<undefined> => new Explained(words, () => undefined)

export function setting<T>(
  variable: string,
  kind: Kind<T>,
  fallback: NoInfer<T> | Explained<NoInfer<T>>,
  meaning: string,
): Setting<T>
export function setting<T>(
  variable: string,
  kind: Kind<T>,
  fallback: Explained<NoInfer<T> | undefined>,
  meaning: string,
): Setting<T | undefined>
export function setting<T>(
  variable: string,
  kind: Kind<T>,
  fallback: T | Explained<T>,
  meaning: string,
): Setting<T> {
  const explained = fallback instanceof Explained ? fallback : { from: () => fallback }
  return { variable, kind: kind as Kind<Exclude<T, undefined>>, fallback: explained, meaning }
}

export const isLocal = ({ platformDomain: name }: Pick<Earlier, 'platformDomain'>): boolean =>
  name === 'localhost' || name.endsWith('.localhost')

/** One bad setting: which, and what is wrong with it. */
export class SettingError extends Error {
  readonly variable: string
  readonly problem: string
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
    this.name = 'SettingError'
    this.variable = variable
    this.problem = problem
  }
}

/** Throws if exactly one of two settings is missing. */
export function requireBoth(values: Record<string, unknown>, why: string): void {
  const missing = Object.keys(values).filter(name => values[name] === undefined)
  if (missing.length === 1) throw new SettingError(missing[0]!, `is missing: ${why}`)
}
