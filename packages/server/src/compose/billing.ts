// Opens what billing stands on: the catalog of plans.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SettingError, type Settings } from '../config.ts'
import { type Catalog, readCatalog } from '../core/billing/catalog.ts'
import { LineError } from '../lib/located-json.ts'

const builtInFile = fileURLToPath(new URL('../../plans.json', import.meta.url))

export function openCatalog({ plansFile }: Pick<Settings, 'plansFile'>): Catalog {
  try {
    return readCatalog(readFileSync(plansFile ?? builtInFile, 'utf8'))
  } catch (error) {
    if (plansFile === undefined) throw error
    const problem =
      error instanceof LineError ? `, ${error.message}` : ` cannot be read: ${(error as Error).message}`
    throw new SettingError('SVCD_PLANS_FILE', `${plansFile}${problem}`)
  }
}
