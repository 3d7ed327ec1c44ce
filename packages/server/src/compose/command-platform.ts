// The platform for commands such as `svcd users`: the rules and the store, without starting any role. It works while a
// server runs on the same data.
import { readSettings } from '../config.ts'
import { noApps } from '../core/base/apps.ts'
import { Evictions } from '../core/base/evictions.ts'
import type { Platform } from '../core/base/platform.ts'
import { RequestCounts } from '../core/base/request-counts.ts'
import { openDataDirectory, requireDataDirectory } from '../data-directory.ts'
import { becomeOwner } from '../data-owner.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../log.ts'
import { noMailer } from '../ports/mailer/port.ts'
import { openCatalog } from './billing.ts'
import { noNodeVersions } from './node-versions.ts'
import { replaceableMailer, StoredOperatorSettings } from './operator-settings.ts'
import { platformOf } from './platform.ts'
import { openAppLogs, openRepos, openStorage, openStore } from './ports.ts'
import { withDashboard } from './stored-settings.ts'

export async function withPlatform<T>(
  work: (platform: Platform) => Promise<T>,
  given = readSettings(),
  takeRights = becomeOwner,
): Promise<T> {
  requireDataDirectory(given)
  takeRights(given)
  const settings = await withDashboard(given)
  const data = openDataDirectory(settings)
  const log = createLog(settings)
  const store = await openStore(settings, data, log)
  const packs = await openStorage(settings, data, log)
  const { repos, close } = await openRepos(settings, data, store, systemClock)
  try {
    await store.migrate()
    const unpack = async (): Promise<never> => {
      throw new Error('only a running server takes uploads')
    }
    const logs = openAppLogs(settings, data, systemClock, log)
    const evictions = new Evictions()
    const ports = {
      store,
      packs,
      repos,
      clock: systemClock,
      mailer: noMailer,
      logs,
      apps: noApps,
      evictions,
      requestCounts: new RequestCounts(),
      catalog: openCatalog(settings),
      paymentsAt: () => undefined,
      github: undefined,
      nodeVersions: noNodeVersions,
      settings: new StoredOperatorSettings(settings, {
        mailer: replaceableMailer(noMailer),
        canRestart: false,
        log,
      }),
      databases: undefined,
      unpack,
      findMissing: unpack,
    }
    return await work(platformOf(settings, data, ports, settings.port))
  } finally {
    await close()
    await packs.close()
    await store.close()
  }
}
