// Reads the target of a request line into path and query (`readTarget`), or writes it as an app receives it (`inOriginForm`).

export interface Target {
  /** The percent-decoded path. It begins with a slash. */
  path: string
  /** The path before decoding. */
  written: string
  /** The decoded path with NUL in place of every `%2F`. Only set if `written` contains `%2F`. */
  slashed?: string | undefined
  /** The query with its question mark, or an empty string. */
  query: string
}

/**
 * Parses a target in origin form or absolute form. Returns `undefined` for any other form, bad percent-encoding, a NUL or a
 * `..` segment.
 */
export function readTarget(target: string): Target | undefined {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const queryAt = local.indexOf('?')
  const written = queryAt < 0 ? local : local.slice(0, queryAt)
  const query = queryAt < 0 ? '' : local.slice(queryAt)
  if (written === '' && local !== target) return { path: '/', written: '/', query }
  if (!written.startsWith('/')) return undefined
  const path = decode(written)
  if (path === undefined || path.includes('\0') || /(?:^|\/)\.\.(?:\/|$)/.test(path)) return undefined
  if (path === written || !/%2f/i.test(written)) return { path, written, query }
  return { path, written, query, slashed: decode(written.replace(/%2f/gi, '%00')) }
}

/** Whether the path belongs to the platform. Requests for such paths are never passed to an app. */
export const isPlatformPath = (target: Target | undefined): boolean =>
  target?.path.startsWith('/_svc/') ?? false

/** Returns the path and query of a target, not decoded. `undefined` if the target is neither a path nor an absolute URL. */
export function inOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  if (origin === undefined) return undefined
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Decodes a path as UTF-8. Node passes bytes above 0x7f as Latin-1 characters, so they are percent-encoded first. */
function decode(written: string): string | undefined {
  if (!/[%\x80-\xff]/.test(written)) return written
  const encoded = written.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`)
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined // malformed escapes, or bytes that are not UTF-8
  }
}
