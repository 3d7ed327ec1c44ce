// svcd config: the effective settings, secrets redacted.
import { parseArgs } from 'node:util'
import { describeSettings, readSettings } from '../config.ts'

export async function showConfig(args: string[]): Promise<number> {
  parseArgs({ args })
  for (const [name, value] of Object.entries(describeSettings(readSettings())))
    process.stdout.write(`${name}=${value}\n`)
  return 0
}
