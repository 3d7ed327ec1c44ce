// The limits of each account and org where no plan says them. The operator can give an owner other limits (`/admin`).
import * as kind from './kinds.ts'
import { SettingError, type SettingsOf, setting, unset } from './setting.ts'

const noLimit = unset('no limit')
const many = 1_000_000

export const limitSettings = {
  limitProjects: setting(
    'SVCD_LIMIT_PROJECTS',
    kind.whole(0, many),
    noLimit,
    'projects of each account and org',
  ),
  limitOrgs: setting('SVCD_LIMIT_ORGS', kind.whole(0, many), noLimit, 'orgs that an account may own'),
  limitRunningApps: setting(
    'SVCD_LIMIT_RUNNING_APPS',
    kind.whole(1, many),
    noLimit,
    'server apps of each account and org that run at the same time, previews included',
  ),
  limitStoredMb: setting(
    'SVCD_LIMIT_STORED_MB',
    kind.whole(0, 1024 * many),
    noLimit,
    'stored deployments and shares of each account and org, in MB',
  ),
  limitBandwidthGb: setting(
    'SVCD_LIMIT_BANDWIDTH_GB',
    kind.whole(0, many),
    noLimit,
    'bandwidth of each account and org in a month, in GB; beyond it, sites stay online and the owner gets an email',
  ),
  limitBuildMinutes: setting(
    'SVCD_LIMIT_BUILD_MINUTES',
    kind.whole(0, many),
    noLimit,
    'minutes of Git builds of each account and org in a month',
  ),
}

/** With billing, plans set the limits. A setting that has no effect would deceive the operator. */
export function checkLimits(settings: SettingsOf<typeof limitSettings> & { billing: string }): void {
  if (settings.billing === 'off') return
  for (const [name, { variable }] of Object.entries(limitSettings))
    if (settings[name as keyof typeof limitSettings] !== undefined)
      throw new SettingError(
        variable,
        `has no effect with SVCD_BILLING=${settings.billing}, because plans set the limits then. Remove it, or set SVCD_BILLING=off`,
      )
}
