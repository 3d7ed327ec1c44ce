// The limits of each owner where no plan says them, from the settings.
import type { Settings } from '../config.ts'
import { type OwnerLimits, unlimited } from '../core/base/catalog.ts'

const MB = 1024 ** 2

export const defaultLimits = (settings: Settings): OwnerLimits => ({
  projects: settings.limitProjects ?? unlimited,
  orgs: settings.limitOrgs ?? unlimited,
  readyApps: settings.readyApps,
  runningApps: settings.limitRunningApps ?? unlimited,
  storedBytes: (settings.limitStoredMb ?? unlimited) * MB,
  bandwidthBytes: (settings.limitBandwidthGb ?? unlimited) * 1024 * MB,
  buildMinutes: settings.limitBuildMinutes ?? unlimited,
})
