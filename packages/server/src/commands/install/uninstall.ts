// svcd uninstall: stops the service and removes its unit. The data, the settings and the user stay.
import { existsSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { installedConfig, readSettings } from '../../config.ts'
import { Fault } from '../../lib/fault.ts'
import { show } from '../output.ts'
import { run } from './system.ts'
import { socketFile, socketName, unitFile, unitName } from './unit.ts'

export async function uninstall(args: string[]): Promise<number> {
  parseArgs({ args })
  if (process.getuid?.() !== 0)
    throw new Fault('forbidden', "'svcd uninstall' changes the system. Run it as root: sudo svcd uninstall")
  if (!existsSync(unitFile))
    throw new Fault('not_found', `svcd is not installed here: there is no ${unitFile}.`)
  const units = existsSync(socketFile) ? [socketName, unitName] : [unitName]
  await run('systemctl', 'disable', '--now', ...units)
  rmSync(unitFile)
  rmSync(socketFile, { force: true })
  await run('systemctl', 'daemon-reload')
  const data = existsSync(installedConfig)
    ? readSettings({ SVCD_CONFIG: installedConfig }).dataDir
    : undefined
  const kept = [installedConfig, data].filter(Boolean).join(' and ')
  return show(
    `Stopped svcd and removed ${unitFile}. Kept ${kept}, with all sites and accounts. 'svcd install' starts it again.\n`,
  )
}
