// The git repository in the current directory: its remote `svc`, and how git gets the token to push to it.
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { git } from '../../git.ts'
import { clean, print } from '../../output.ts'
import { apiUrl } from '../../platform-url.ts'
import { readStdin } from '../../stdin.ts'

/**
 * The URL at which svc itself reaches a repository of the platform. The platform names its public address, and svc may know it by
 * another one, such as 127.0.0.1 for localhost. git gets the token for the address of svc only.
 */
export function reachableUrl(cloneUrl: string): string {
  const { pathname } = URL.canParse(cloneUrl) ? new URL(cloneUrl) : { pathname: '' }
  const base = apiUrl()
  return pathname.startsWith('/git/') && !cloneUrl.startsWith(`${base}/`) ? base + pathname : cloneUrl
}

/**
 * Adds the remote `svc`, and makes `svc git credential` the credential helper for the platform's URL. Returns false, and
 * changes nothing, if the directory is in no git repository, or if the remote exists with another URL.
 */
export async function addRemote(dir: string, cloneUrl: string): Promise<boolean> {
  const { origin } = new URL(apiUrl())
  if (!URL.canParse(cloneUrl) || new URL(cloneUrl).origin !== origin) return false
  if ((await git(dir, 'rev-parse', '--is-inside-work-tree')) !== 'true') return false
  const present = await git(dir, 'config', '--get', 'remote.svc.url')
  if (present !== undefined && present !== cloneUrl) return false
  if (present === undefined) await git(dir, 'remote', 'add', 'svc', cloneUrl)
  const key = `credential.${origin}.helper`
  // The empty value removes other helpers for this URL, so that none of them stores the token as plain text.
  await git(dir, 'config', '--local', '--replace-all', key, '')
  await git(dir, 'config', '--local', '--add', key, helperCommand())
  return (await git(dir, 'config', '--get', 'remote.svc.url')) === cloneUrl
}

/** The repository that this folder is a part of, and the path of the folder in it. `undefined` at the top of one. */
export async function partOfRepository(dir: string): Promise<{ top: string; folder: string } | undefined> {
  const folder = await git(dir, 'rev-parse', '--show-prefix')
  const top = await git(dir, 'rev-parse', '--show-toplevel')
  return top && folder ? { top, folder: folder.replace(/\/$/, '') } : undefined
}

/** git runs the helper in a shell. The full paths also work if `svc` is not on the PATH, as with npx. */
const helperCommand = () => `!${quoted(process.execPath)} ${quoted(process.argv[1] ?? 'svc')} git credential`

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`

/** What git writes to a credential helper. It is a few short lines. */
const gitRequest = {
  what: 'the lines of a credential helper',
  maxBytes: 64 * 1024,
  tooLong: "More than 64 KB came on stdin. 'svc git credential' is a credential helper for git.",
}

/** Speaks git's protocol for credential helpers (gitcredentials(7)). The token is given for the platform's own URL only. */
export const giveCredential: Run = async ({ args: [operation] }) => {
  if (operation !== 'get') return
  const asked = new Map<string, string>()
  for (const line of (await readStdin(gitRequest)).split('\n')) {
    const at = line.indexOf('=')
    if (at > 0) asked.set(line.slice(0, at), line.slice(at + 1))
  }
  const { origin } = new URL(apiUrl())
  if (`${asked.get('protocol')}://${asked.get('host')}` !== origin) return
  print(`username=svc\npassword=${clean(requireToken())}`)
}
