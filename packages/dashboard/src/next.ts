// The page that a visitor asked for before they had to sign in, carried in `?next=`.
import { href } from './paths.ts'

export function signInPath(asked: string): string {
  return asked === '/' ? href('/signin') : `${href('/signin')}?next=${encodeURIComponent(asked)}`
}

/** The same path with the search of the present page, so that `next` is carried on. */
export const withSearch = (path: string, search: string) => (search ? `${path}?${search}` : path)

/** Where to go after signing in: a page of this dashboard, never a URL elsewhere. */
export function nextPath(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  const url = URL.canParse(next, origin) ? new URL(next, origin) : undefined
  return url?.origin === origin ? url.pathname + url.search : '/'
}
