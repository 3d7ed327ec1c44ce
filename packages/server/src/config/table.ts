// All settings as one table. The type of the settings, the check of names, `svcd config` and the tables in
// docs/operations.md are made from it.
import { aiSettings } from './ai.ts'
import { appSettings } from './apps.ts'
import { backupSettings } from './backups.ts'
import { billingSettings } from './billing.ts'
import { buildSettings } from './builds.ts'
import { connectionSettings } from './connections.ts'
import { databaseSettings } from './databases.ts'
import { domainSettings } from './domains.ts'
import { githubSettings } from './github.ts'
import { identitySettings } from './identity.ts'
import { limitSettings } from './limits.ts'
import { platformSettings } from './platform.ts'
import type { Setting, SettingsOf } from './setting.ts'
import { statsSettings } from './stats.ts'
import { storageSettings } from './storage.ts'

/** A row's default may depend on rows above it. The keys are the headings in the docs. */
export const sections = {
  'The platform': platformSettings,
  'What is stored': storageSettings,
  Backups: backupSettings,
  'Accounts and email': identitySettings,
  Connections: connectionSettings,
  'Domains and certificates': domainSettings,
  'Server apps': appSettings,
  'Databases of projects': databaseSettings,
  'Git hosts': githubSettings,
  Builds: buildSettings,
  'Analytics and logs': statsSettings,
  Billing: billingSettings,
  'Limits without billing': limitSettings,
  'AI gateway': aiSettings,
}

const table = {
  ...databaseSettings,
  ...platformSettings,
  ...storageSettings,
  ...backupSettings,
  ...identitySettings,
  ...connectionSettings,
  ...domainSettings,
  ...appSettings,
  ...githubSettings,
  ...buildSettings,
  ...statsSettings,
  ...billingSettings,
  ...limitSettings,
  ...aiSettings,
}

export type Settings = SettingsOf<typeof table>

/** The rows by the names that the program uses, for code that treats all alike. */
export const rows = Object.entries(table) as [keyof Settings, Setting<unknown>][]
