// The fields of the invoice details, for the form of the billing page and for the dialog before the first payment.
import type { BillingProfile } from '@svc/contract'
import { countryCodes } from '@svc/contract/countries'
import { type ReactNode, useState } from 'react'
import { Field, TextField } from '../../components/field.tsx'
import { SelectField } from '../../components/select.tsx'
import type { ProfileInput } from './billing.ts'

const regions = new Intl.DisplayNames('en', { type: 'region' })
export const countryName = (code: string): string => regions.of(code) ?? code
const countries = [
  { value: '', title: 'Not given' },
  ...countryCodes
    .map(value => ({ value, title: countryName(value) }))
    .sort((one, other) => one.title.localeCompare(other.title)),
]

export const inputOf = ({ name, address, country, vat_number, email }: BillingProfile): ProfileInput => ({
  name: name ?? '',
  address: address ?? '',
  country: country ?? '',
  vat_number: vat_number ?? '',
  email: email ?? '',
})

/** `errors` are shown beside their fields. */
export function useProfileFields(profile: BillingProfile, errors: Partial<ProfileInput> = {}) {
  const [input, setInput] = useState(inputOf(profile))
  const tied = (field: keyof ProfileInput) => ({
    name: field,
    value: input[field],
    error: errors[field],
    onChange: (event: { target: { value: string } }) => setInput({ ...input, [field]: event.target.value }),
  })
  const fields: Record<keyof ProfileInput, ReactNode> = {
    name: <Field label="Name" autoComplete="organization" maxLength={200} {...tied('name')} />,
    address: <TextField label="Address" rows={3} maxLength={500} {...tied('address')} />,
    country: (
      <SelectField
        label="Country"
        name="country"
        autoComplete="country"
        value={input.country}
        options={countries}
        onChoose={country => setInput({ ...input, country })}
      />
    ),
    vat_number: (
      <Field
        label="VAT number"
        optional
        look="mono"
        maxLength={30}
        placeholder="NL123456789B01"
        {...tied('vat_number')}
      />
    ),
    email: <Field label="Email for invoices" type="email" optional autoComplete="email" {...tied('email')} />,
  }
  return { input, setInput, fields }
}
