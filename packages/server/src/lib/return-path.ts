// The path that a visitor is redirected back to. It is always on the same site.

const longest = 2000
const site = 'http://site.invalid'

/** The path and query of `text`. `/` if it leads to another site or to a path of the platform. */
export function returnPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > longest || !URL.canParse(text, site)) return '/'
  // Browsers read `/\host` and `/<tab>/host` as another host, and the URL parser does, too.
  const { origin, pathname, search } = new URL(text, site)
  // Resolving `/.//host` gives `//host`, which a browser would read as another host.
  if (origin !== site || pathname.startsWith('//') || /^\/_svc(?:\/|$)/i.test(pathname)) return '/'
  return pathname + search
}
