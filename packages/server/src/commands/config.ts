// svcd config: the settings in effect, in the format of the file that SVCD_CONFIG names.
import { parseArgs } from 'node:util'
import { printSettings, readSettings } from '../config.ts'

export async function showConfig(args: string[]): Promise<number> {
  parseArgs({ args })
  process.stdout.write(printSettings(readSettings()))
  return 0
}
