// Opens the catalog of plans and the payment provider.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SettingError, type Settings } from '../config.ts'
import { type Catalog, readCatalog } from '../core/base/catalog.ts'
import type { Urls } from '../core/base/urls.ts'
import { LineError } from '../lib/located-json.ts'
import type { Payments } from '../ports/payments/port.ts'
import { sandboxPayments } from '../ports/payments/sandbox.ts'
import { programFile } from '../program-files.ts'

const builtInFile = fileURLToPath(programFile('../plans.json'))

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

/** Creates the payment provider once the platform's URLs are known. `undefined` if billing is off. */
export type PaymentsAt = (urls: Urls) => Payments | undefined

export async function openPayments(settings: Settings): Promise<PaymentsAt> {
  const { billing, stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = settings
  if (billing === 'off') return () => undefined
  if (billing === 'sandbox' || !secretKey || !webhookSecret)
    return urls => sandboxPayments(secret => `${urls.api}/pay/${secret}`)
  const { stripePayments } = await import('../ports/payments/stripe/stripe.ts')
  const stripe = stripePayments({ secretKey, webhookSecret, apiUrl: settings.stripeApiUrl })
  return () => stripe
}
