// Opens what billing stands on: the catalog of plans, and the payment provider.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SettingError, type Settings } from '../config.ts'
import { type Catalog, readCatalog } from '../core/billing/catalog.ts'
import type { Urls } from '../core/urls.ts'
import { LineError } from '../lib/located-json.ts'
import type { Payments } from '../ports/payments/port.ts'
import { sandboxPayments } from '../ports/payments/sandbox.ts'

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

/** Undefined where billing is off. */
export function openPayments(settings: Settings, urls: Urls): Payments | undefined {
  if (settings.billing === 'off') return undefined
  return sandboxPayments(secret => `${urls.api}/pay/${secret}`)
}
