// The settings file of an installed svcd. What an operator added to it stays.
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '../../lib/replace-file.ts'

/** Sets these variables in the file, and keeps its other lines. */
export function writeSettingsFile(
  file: string,
  values: Record<string, string>,
  owner: { uid: number; gid: number },
): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [heading]
  const kept = lines.filter(line => !(nameIn(line) in values))
  const added = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  replaceFile(file, `${[...kept, ...added].join('\n')}\n`)
  chownSync(file, owner.uid, owner.gid)
}

const heading =
  "# Settings of svcd. 'systemctl restart svcd' applies changes. 'svcd config' lists all settings."

const nameIn = (line: string): string => line.split('=', 1)[0]?.trim() ?? ''
