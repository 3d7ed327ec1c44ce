// svcd config: the settings in effect, in the format of the file that SVCD_CONFIG names, and the way back from a setting of the
// dashboard with which svcd does not start.
import { parseArgs } from 'node:util'
import { openStore } from '../compose/ports.ts'
import { withDashboard } from '../compose/stored-settings.ts'
import { originOf, printSettings, printWithOrigins, readSettings } from '../config.ts'
import { takeBackSetting } from '../core/admin/settings.ts'
import { openDataDirectory, requireDataDirectory } from '../data-directory.ts'
import { becomeOwner } from '../data-owner.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../log.ts'
import { complain, show } from './output.ts'

export async function showConfig(args: string[]): Promise<number> {
  const options = { sources: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [verb, name, extra] = positionals
  if (verb === undefined) return await print(values.sources)
  if (verb !== 'unset')
    return complain(`Unknown: '${verb}'. Usage: svcd config [--sources], or svcd config unset <name>`)
  if (name === undefined || extra !== undefined) return complain('Usage: svcd config unset <name>')
  return await unset(name)
}

async function print(withSources: boolean): Promise<number> {
  const given = readSettings()
  becomeOwner(given)
  const settings = await withDashboard(given)
  return show(
    withSources
      ? printWithOrigins(settings, variable => originOf(settings, variable))
      : printSettings(settings),
  )
}

/** Reads no settings of the dashboard, since they may be what is wrong. */
async function unset(name: string): Promise<number> {
  const settings = readSettings()
  requireDataDirectory(settings)
  becomeOwner(settings)
  const store = await openStore(settings, openDataDirectory(settings), createLog(settings))
  try {
    await store.migrate()
    if (!(await takeBackSetting({ store, clock: systemClock }, name)))
      return complain(`The dashboard has not changed ${name}.`)
    return show(`${name} is not set by the dashboard any more. Restart svcd, if it runs.\n`)
  } finally {
    await store.close()
  }
}
