// Reads the file that SVCD_CONFIG names, and writes the output of `svcd config`. Both are in the dotenv format.
import { readFileSync } from 'node:fs'
import { parseDotenv, type Variable } from '@svc/contract/dotenv'
import { checkName } from './names.ts'
import { type Setting, SettingError } from './setting.ts'
import { rows, type Settings } from './table.ts'

export function readConfigFile(file: string): Record<string, string> {
  const variables = parseConfig(textOf(file))
  for (const { key } of variables) {
    checkName(key, `in ${file} `)
    if (key === 'SVCD_CONFIG')
      throw new SettingError('SVCD_CONFIG', `names ${file}, which may not name another file`)
  }
  return Object.fromEntries(variables.map(({ key, value }) => [key, value]))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code === 'EACCES' ? '. Run this as root, or as the user of svcd' : ''
    throw new SettingError('SVCD_CONFIG', `names a file that cannot be read: ${message}${advice}`)
  }
}

function parseConfig(text: string): Variable[] {
  try {
    return parseDotenv(text)
  } catch (error) {
    throw new SettingError('SVCD_CONFIG', (error as Error).message)
  }
}

/** Every setting in effect. Secrets are comments, so that the rest can be read back. */
export const printSettings = (settings: Settings): string =>
  rows.map(([name, row]) => lineOf(row, settings[name])).join('')

/** The same, below comments that say where the values come from. */
export function printWithOrigins(settings: Settings, originOf: (variable: string) => string): string {
  let above = ''
  const lines = rows.map(([name, row]) => {
    const origin = originOf(row.variable)
    const heading = origin === above ? '' : `# ${origin}:\n`
    above = origin
    return heading + lineOf(row, settings[name])
  })
  return lines.join('')
}

function lineOf({ variable, kind }: Setting<unknown>, value: unknown): string {
  const printed = value === undefined ? '' : kind.print(value)
  return kind.isSecret && printed ? `# ${variable}=${printed}\n` : `${variable}=${quoted(printed)}\n`
}

/** A line that is read back as it is. */
export const printLine = (name: string, value: string): string => `${name}=${quoted(value)}\n`

/** Quotes a value so that dotenv reads it back unchanged. A plain word needs no quotes. */
function quoted(value: string): string {
  if (/^[^\s"'`#\\]*$/.test(value)) return value
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
