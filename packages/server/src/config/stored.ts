// The settings that operators change in the dashboard. They are rows of the database, sealed. The environment and the file win.
import { aiSettings } from './ai.ts'
import { backupSettings } from './backups.ts'
import { domainSettings } from './domains.ts'
import { githubSettings } from './github.ts'
import { identitySettings } from './identity.ts'
import { limitSettings } from './limits.ts'
import { platformSettings } from './platform.ts'
import type { Setting } from './setting.ts'
import { ofMachine } from './shared.ts'

const { platformDomain, publicScheme, publicPort, abuseContact } = platformSettings

/** A person who takes over the account of an operator must not reach the private network of the server with these. */
const ofServer: ReadonlySet<string> = new Set([
  'SVCD_ACME_HTTP_PORT',
  'SVCD_ALLOW_PRIVATE_TARGETS',
  'SVCD_CERT_CHECK_PORT',
])

const sections: Record<string, Record<string, Setting<never>>> = {
  'Domain and certificates': { platformDomain, publicScheme, publicPort, abuseContact, ...domainSettings },
  'Accounts and email': identitySettings,
  'Git hosts': githubSettings,
  'AI gateway': aiSettings,
  Backups: backupSettings,
  'Limits without billing': limitSettings,
} as never

const isForOperators = ({ variable, kind }: Setting<unknown>): boolean =>
  !kind.isPath && !ofMachine.has(variable) && !ofServer.has(variable)

interface OperatorSection {
  title: string
  rows: Setting<unknown>[]
}

export const operatorSections: readonly OperatorSection[] = Object.entries(sections).map(([title, rows]) => ({
  title,
  rows: (Object.values(rows) as unknown as Setting<unknown>[]).filter(isForOperators),
}))
