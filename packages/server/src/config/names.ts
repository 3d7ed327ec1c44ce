// Refuses variables that begin like a setting but are not one, and suggests the nearest setting.
import { nearest } from '@svc/contract/nearest'
import { SettingError } from './setting.ts'
import { rows } from './table.ts'

const prefix = 'SVCD_'
const variables = [...rows.map(([, { variable }]) => variable), 'SVCD_CONFIG']

/** `where` says where the name stands, unless it is in the environment. */
export function checkName(name: string, where = ''): void {
  if (variables.includes(name)) return
  const meant = nearestSetting(name)
  throw new SettingError(
    name,
    `${where}is not a setting. ${meant ? `Did you mean ${meant}?` : "Remove it; 'svcd config' lists all settings."}`,
  )
}

export const checkEnvironment = (names: string[]): void => {
  for (const name of names) if (name.startsWith(prefix)) checkName(name)
}

/** The setting that a wrong name probably stands for: SVCD_PROT for SVCD_PORT, SVCD_DOMAIN for SVCD_PLATFORM_DOMAIN. */
function nearestSetting(name: string): string | undefined {
  const bare = name.toUpperCase().replace(prefix, '')
  const names = variables.map(variable => variable.slice(prefix.length))
  const isNear = (word = '') => nearest(bare, [word]) === word
  const meant =
    names.find(other => `_${other}`.endsWith(`_${bare}`) || other.startsWith(`${bare}_`)) ??
    nearest(bare, names) ??
    names.find(other => isNear(other.split('_').at(-1)))
  return meant && `${prefix}${meant}`
}
