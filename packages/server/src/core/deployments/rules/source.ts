// The left side of a rule: a path, or a URL with `https://` for a path of one host.
import { type Pattern, readPattern, type Values } from './pattern.ts'

export interface Source {
  /** `undefined` if the rule applies to every host of the site. */
  host: Pattern | undefined
  path: Pattern
  /** Whether it can be looked up by its path. */
  isStatic: boolean
}

/** The request of a visitor. */
export interface RequestedUrl {
  /** Decoded. */
  path: string
  /** The decoded path with NUL for every escaped slash, if it has any. */
  slashed?: string | undefined
  /** As it was written, with its question mark, or empty. */
  query: string
  /** In lower case, without a port. */
  host: string
}

/** A source, or what is wrong with it. */
export function readSource(written: string): Source | string {
  const scheme = /^https?:\/\//i.exec(written)?.[0]
  if (scheme === undefined) {
    const path = readPattern(written)
    return typeof path === 'string' ? path : { host: undefined, path, isStatic: path.isStatic }
  }
  const [address = '', ...segments] = written.slice(scheme.length).split('/')
  const path = readPattern(`/${segments.join('/')}`)
  if (typeof path === 'string') return path
  if (address === '') return 'the host is missing'
  if (/:\d*$/.test(address)) return 'a host with a port is not supported'
  // Dots separate the parts of a host as slashes separate those of a path.
  const host = readPattern(`/${address.replaceAll('.', '/')}`, text => text.toLowerCase())
  return typeof host === 'string' ? `in the host, ${host}` : { host, path, isStatic: false }
}

/** The values of the placeholders. `undefined` if the request does not match. */
export function matchSource({ host, path }: Source, asked: RequestedUrl): Values | undefined {
  // An escaped slash stays part of its segment if the rule matches like that. It also counts as a slash, as it does
  // when files are looked up: no spelling of a path gets around a rule.
  const values =
    (asked.slashed === undefined ? undefined : path.match(asked.slashed)) ?? path.match(asked.path)
  if (values === undefined || host === undefined) return values
  const named = host.match(`/${asked.host.replaceAll('.', '/')}`)
  if (named === undefined || named.splat === '') return undefined
  for (const name of Object.keys(named)) named[name] = named[name]!.replaceAll('/', '.')
  return { ...named, ...values }
}
