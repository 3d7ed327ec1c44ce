// Parses the URL of a directory on another machine, sftp://user@host:port/path, to the command line of ssh.
import type { SftpSettings } from './client.ts'

/** Error messages follow the name of the setting. */
export function readSftpUrl(value: string): SftpSettings {
  const url = new URL(value)
  if (url.password !== '')
    throw new Error('must not have a password: ssh signs in with a key of the user that runs svcd')
  if (url.search !== '' || url.hash !== '') throw new Error('must not have ? or #')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // None of them may look like an option of ssh.
  if (!/^[a-zA-Z0-9:][a-zA-Z0-9.:-]*$/.test(host)) throw new Error('names no valid host')
  const user = decodeURIComponent(url.username)
  if (!/^([a-zA-Z0-9_][a-zA-Z0-9_.-]*)?$/.test(user)) throw new Error('names no valid user')
  return { command: ['ssh', ...options(url, user), '-s', '--', host, 'sftp'], dir: directory(url), host }
}

/** ssh asks nobody, and connects only to hosts whose key the user has accepted before. */
const options = ({ port }: URL, user: string): string[] => [
  ...['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=20', 'ServerAliveInterval=15'].flatMap(
    option => ['-o', option],
  ),
  ...(port === '' ? [] : ['-p', port]),
  ...(user === '' ? [] : ['-l', user]),
]

/** `/~/backups` is in the home of the user, everything else an absolute path. */
function directory({ pathname }: URL): string {
  const parts = decodeURIComponent(pathname).split('/').filter(Boolean)
  if (parts.includes('..')) throw new Error('must not have .. in its path')
  const isInHome = parts[0] === '~'
  if (parts.length < (isInHome ? 2 : 1)) throw new Error('needs a path, such as sftp://user@host/backups')
  return isInHome ? parts.slice(1).join('/') : `/${parts.join('/')}`
}
