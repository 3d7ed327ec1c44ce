// svcd config: the effective settings, secrets redacted.
import { describeSettings, readSettings } from '../config.ts'

export async function showConfig(): Promise<number> {
  for (const [name, value] of Object.entries(describeSettings(readSettings())))
    process.stdout.write(`${name}=${value}\n`)
  return 0
}
