// Invoice details of an account or an org. A VAT number is stored only after the EU's registry has confirmed it.
import { type BillingProfile, countryCodes, rateLimits, vatPrefixes } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { VatAnswer } from '../../ports/vat-registry/port.ts'
import { findProfile, putProfile } from '../../store/billing/profiles.ts'
import type { Db } from '../../store/store.ts'
import type { BillingProfileRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { spend } from '../base/rate-limit.ts'
import { requireBilling } from './enabled.ts'
import { lockOwner } from './owners.ts'
import { isPrintable } from './printable.ts'
import {
  countriesOf,
  hasValidForm,
  splitVatNumber,
  tidyVatNumber,
  type VatNumber,
  writeVatNumber,
} from './vat/number.ts'
import { type ChargedTax, taxFor } from './vat/tax.ts'

const registryMs = 10_000
const addressLines = 6

type Field = string | null | undefined
type ProfileInput = Record<'name' | 'address' | 'country' | 'vat_number' | 'email', Field>

type Details = Omit<BillingProfileRow, 'owner_id' | 'updated_at'>

/** The tax of an owner's next invoice, with the details that it depends on. */
export async function taxOf(db: Db, ownerId: string): Promise<ChargedTax> {
  const { country = null, vat_number = null } = (await findProfile(db, ownerId)) ?? {}
  return { ...taxFor({ country, vat_number }), country, vat_number }
}

export async function billingProfileOf(db: Db, ownerId: string): Promise<BillingProfile> {
  return describe(await findProfile(db, ownerId))
}

export async function changeProfile(
  platform: Rows & Pick<Platform, 'billing' | 'vatRegistry'>,
  caller: Caller,
  owner: { id: string; orgId: string | undefined },
  input: Partial<ProfileInput>,
): Promise<BillingProfile> {
  requireBilling(platform)
  const before = await findProfile(platform.store.db, owner.id)
  const details = await checkedDetails(platform, owner.id, input, before)
  const row = { ...details, owner_id: owner.id, updated_at: platform.clock.now() }
  await platform.store.transact(async tx => {
    if (!(await lockOwner(tx, owner.id))) throw new Fault('not_found', 'This org was deleted.')
    await putProfile(tx, row)
    if (owner.orgId === undefined) return
    const { country, vat_number } = row
    const entry = { orgId: owner.orgId, details: { country, vat_number } }
    await audit(platform, tx, caller, { action: 'billing.profile', ...entry })
  })
  return describe(row)
}

async function checkedDetails(
  platform: Rows & Pick<Platform, 'vatRegistry'>,
  ownerId: string,
  input: Partial<ProfileInput>,
  before: BillingProfileRow | undefined,
): Promise<Details> {
  const name = oneLine('name', input.name)
  const address = severalLines('address', input.address)
  const given = readCountry(input.country)
  const number = readVatNumber(input.vat_number, given)
  const country = given ?? (number && (countriesOf(number.prefix)[0] ?? null)) ?? null
  const plain = { name, address, country, email: input.email?.trim() || null }
  if (!number) return { ...plain, vat_number: null, vat_checked_at: null, vat_consultation: null }
  const vat_number = writeVatNumber(number)
  if (before?.vat_number === vat_number) {
    const { vat_checked_at, vat_consultation } = before
    return { ...plain, vat_number, vat_checked_at, vat_consultation }
  }
  const { consultation } = await confirm(platform, ownerId, number)
  return { ...plain, vat_number, vat_checked_at: platform.clock.now(), vat_consultation: consultation }
}

/** Codes that people write: EL for Greece, UK for the United Kingdom, XI for VAT numbers of Northern Ireland. */
const otherCodes: Record<string, string> = { EL: 'GR', UK: 'GB', XI: 'GB' }

function readCountry(input: Field): string | null {
  const written = input?.trim().toUpperCase()
  if (!written) return null
  const code = otherCodes[written] ?? written
  if (countryCodes.includes(code)) return code
  throw new Fault('invalid_request', 'country: must be a two-letter ISO 3166 code, such as NL or DE')
}

function readVatNumber(input: Field, country: string | null): VatNumber | undefined {
  const tidy = tidyVatNumber(input ?? '')
  if (tidy === undefined) return undefined
  const number = splitVatNumber(tidy, country)
  if (!number)
    throw notFound(
      country === null
        ? 'It must begin with the code of an EU country, such as NL or DE.'
        : 'Only companies in the EU have one that the registry knows; leave it empty.',
    )
  if (country !== null && vatPrefixes[country] !== number.prefix)
    throw new Fault(
      'invalid_request',
      `vat_number: begins with ${number.prefix}, which does not fit the country ${country}. Correct one of the two.`,
    )
  if (!hasValidForm(number))
    throw notFound(`Numbers that begin with ${number.prefix} have another form. Check it for typing errors.`)
  return number
}

async function confirm(
  platform: Rows & Pick<Platform, 'vatRegistry'>,
  ownerId: string,
  number: VatNumber,
): Promise<Extract<VatAnswer, { known: true }>> {
  const { retryAfter } = await spend(platform, `vat numbers of ${ownerId}`, rateLimits.vatNumbers)
  if (retryAfter !== undefined)
    throw new Fault('rate_limit_exceeded', 'Too many VAT numbers were checked. Try again later.', {
      retryAfter,
    })
  const answer = await platform.vatRegistry
    .lookUp(number, platform.clock.timeout(registryMs))
    .catch(cause => {
      const message =
        'The EU VAT registry (VIES) does not answer, so the VAT number could not be checked. Nothing was stored. Try again in a few minutes.'
      throw new Fault('vat_registry_unavailable', message, { cause })
    })
  if (!answer.known)
    throw notFound('Check it for typing errors, and that it is registered for trade within the EU.')
  return answer
}

const notFound = (advice: string): Fault =>
  new Fault('vat_number_not_found', `The EU VAT registry (VIES) does not know this VAT number. ${advice}`)

function oneLine(field: string, input: Field): string | null {
  const text = input?.normalize('NFC').trim()
  if (!text) return null
  if (isPrintable(text)) return text
  throw new Fault(
    'invalid_request',
    `${field}: invoices can print Latin, Greek and Cyrillic letters, digits and punctuation. Write it with those.`,
  )
}

function severalLines(field: string, input: Field): string | null {
  const lines = (input ?? '').split('\n').flatMap(line => oneLine(field, line) ?? [])
  if (lines.length <= addressLines) return lines.join('\n') || null
  throw new Fault('invalid_request', `${field}: must have at most ${addressLines} lines`)
}

function describe(row: Details | undefined): BillingProfile {
  const { name = null, address = null, country = null, vat_number = null, email = null } = row ?? {}
  return { name, address, country, vat_number, email, tax: taxFor({ country, vat_number }) }
}
