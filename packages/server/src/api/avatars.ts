// Avatars of the built-in forge: the first letter of the login, on a colour that depends on the login.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const address = /^\/avatars\/([a-z0-9_-]{1,40})\.svg$/

/** White text has a contrast of at least 4.5:1 on each of these. */
const colours = [
  '#3b4fe4',
  '#7a3ce0',
  '#b3298f',
  '#c02f4c',
  '#a8480f',
  '#7d6206',
  '#2c7a2c',
  '#0b7870',
  '#0b6e9e',
  '#5a6472',
]

/**
 * Returns false if the path is not that of an avatar. Every login has one, so that it does not tell whether an account
 * exists.
 */
export function answerAvatar(
  req: IncomingMessage,
  res: ServerResponse,
  pathname: string,
  avatarUrl?: (login: string) => string,
): boolean {
  const login = address.exec(pathname)?.[1]
  if (login === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) return false
  if (avatarUrl) {
    res.writeHead(302, { location: avatarUrl(login), 'cache-control': 'public, max-age=86400' }).end()
    return true
  }
  const svg = drawAvatar(login)
  res.writeHead(200, {
    'content-type': 'image/svg+xml; charset=utf-8',
    'content-length': Buffer.byteLength(svg),
    'cache-control': 'public, max-age=86400',
    // A browser shows an SVG with its own URL as a document. This policy allows it nothing.
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  })
  res.end(svg)
  return true
}

/** Returns the SVG. The characters of a login need no escaping. */
function drawAvatar(login: string): string {
  const colour = colours[createHash('sha256').update(login).digest().readUInt16BE(0) % colours.length]
  const letter =
    login
      .replace(/^[_-]+/, '')
      .charAt(0)
      .toUpperCase() || '?'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64" role="img" aria-label="${login}"><rect width="64" height="64" fill="${colour}"/><text x="32" y="33" fill="#fff" font-family="ui-sans-serif,system-ui,sans-serif" font-size="32" font-weight="600" text-anchor="middle" dominant-baseline="central">${letter}</text></svg>\n`
}
