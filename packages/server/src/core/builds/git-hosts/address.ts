// Reads the URL of a repository at another git host, as people copy it from their browser.
import { Fault } from '../../../lib/fault.ts'

export interface HostAddress {
  /** Of the host, without the path of the repository. */
  baseUrl: string
  /** `owner/name`, or with groups before the name. */
  path: string
  /** What people and rows call the repository. */
  name: string
}

const isSegment = (text: string): boolean => /^~?[A-Za-z0-9._-]{1,100}$/.test(text) && !/^\.+$/.test(text)

export const isHostUrl = (repo: string): boolean => repo.includes('://')

export function readHostAddress(repo: string, { allowHttp }: { allowHttp: boolean }): HostAddress {
  const url = URL.canParse(repo) ? new URL(repo) : undefined
  const isWeb = url?.protocol === 'https:' || (allowHttp && url?.protocol === 'http:')
  if (!url || !isWeb)
    throw new Fault('invalid_request', 'repo: must be an https URL, such as https://gitlab.com/ada/website')
  if (url.username !== '' || url.password !== '')
    throw new Fault('invalid_request', 'repo: must have no token in it. Send the token as access_token.')
  const parts = url.pathname.split('/').filter(part => part !== '')
  const path = parts.join('/').replace(/\.git$/, '')
  if (
    parts.length < 2 ||
    parts.length > 20 ||
    !parts.every(isSegment) ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new Fault(
      'invalid_request',
      'repo: must be the URL of a repository, such as https://gitlab.com/ada/website',
    )
  return { baseUrl: url.origin, path, name: `${url.origin}/${path}` }
}
