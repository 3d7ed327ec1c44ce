// The page that a visitor is redirected to after sending a form. It must be on the same site.

const longest = 2_000
const placeholder = 'http://site.invalid'

/** Accepts a path, or a URL on the same host. `undefined` for everything else. */
export function nextPage(redirect: string | undefined, host: string): string | undefined {
  const text = redirect?.trim() ?? ''
  if (text === '' || text.length > longest || !URL.canParse(text, placeholder)) return undefined
  // Browsers read `/\host` and `/<tab>/host` as another host, and the URL parser does, too.
  const { protocol, hostname, pathname, search, hash } = new URL(text, placeholder)
  const isHere = hostname === 'site.invalid' || hostname === host
  // Resolving `/.//host` gives `//host`, which a browser would read as another host.
  if (!isHere || !/^https?:$/.test(protocol) || pathname.startsWith('//')) return undefined
  return /^\/_svc(?:\/|$)/i.test(pathname) ? undefined : pathname + search + hash
}
