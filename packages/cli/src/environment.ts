// Reads environment variables, for the whole program. An empty variable counts as unset.
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Failure } from './failure.ts'

const read = (name: string): string | undefined => process.env[name]?.trim() || undefined

function seconds(name: string, usual: number): number {
  const text = read(name) ?? String(usual)
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new Failure(`${name} must be whole seconds from 1 to 9999, not '${text}'.`)
  return Number(text)
}

/** An empty HOME would put the token into the directory that svc happens to run in. */
function home(): string {
  const known = read(process.platform === 'win32' ? 'USERPROFILE' : 'HOME')
  if (known) return known
  try {
    const { homedir } = userInfo()
    if (homedir) return homedir
  } catch {
    // A user without an entry in the system's list, as in some containers.
  }
  throw new Failure('There is no home directory to keep the login in. Set SVC_CONFIG_DIR, or HOME.')
}

export const environment = {
  token: () => read('SVC_TOKEN'),
  /** All variables but the token, for programs that have no use for it. */
  withoutToken: (): NodeJS.ProcessEnv => ({ ...process.env, SVC_TOKEN: undefined }),
  windowsShell: () => read('ComSpec') ?? 'cmd.exe',
  apiUrl: () => read('SVC_API_URL'),
  dashboardUrl: () => read('SVC_DASHBOARD_URL'),
  /** How long the platform may send nothing. */
  silenceMs: () => 1000 * seconds('SVC_TIMEOUT', 30),
  /** The other platforms of `svc import`: their tokens, and where their APIs are. */
  vercelToken: () => read('VERCEL_TOKEN'),
  vercelApiUrl: () => read('VERCEL_API_URL') ?? 'https://api.vercel.com',
  netlifyToken: () => read('NETLIFY_AUTH_TOKEN'),
  netlifyApiUrl: () => read('NETLIFY_API_URL') ?? 'https://api.netlify.com/api/v1',
  shell: () => read('SHELL'),
  path: () => read('PATH') ?? '',
  browser: () => read('BROWSER'),
  plain: () => read('NO_COLOR') !== undefined || read('TERM') === 'dumb',
  configDir: () => read('SVC_CONFIG_DIR') ?? join(read('XDG_CONFIG_HOME') ?? join(home(), '.config'), 'svc'),
}
