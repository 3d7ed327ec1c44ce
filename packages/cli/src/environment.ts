// The only reader of the environment. A variable that is set to nothing counts as unset.
import { homedir } from 'node:os'
import { join } from 'node:path'

const read = (name: string): string | undefined => process.env[name]?.trim() || undefined

export const environment = {
  token: () => read('SVC_TOKEN'),
  apiUrl: () => read('SVC_API_URL'),
  dashboardUrl: () => read('SVC_DASHBOARD_URL'),
  browser: () => read('BROWSER'),
  plain: () => read('NO_COLOR') !== undefined || read('TERM') === 'dumb',
  configDir: () =>
    read('SVC_CONFIG_DIR') ?? join(read('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'svc'),
}
