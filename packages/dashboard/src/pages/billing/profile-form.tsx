// What stands on invoices: who pays, where, and the VAT number. A number is checked with the EU's registry when it is saved.
import type { BillingProfile } from '@svc/contract'
import { countryCodes } from '@svc/contract/countries'
import { useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWork } from '../../use-work.ts'
import type { BillingCalls, ProfileInput } from './billing.ts'
import styles from './profile-form.module.css'

const regions = new Intl.DisplayNames('en', { type: 'region' })
export const countries = [
  { value: '', title: 'Not given' },
  ...countryCodes
    .map(value => ({ value, title: regions.of(value) ?? value }))
    .sort((one, other) => one.title.localeCompare(other.title)),
]

interface ProfileFormProps {
  profile: BillingProfile
  calls: BillingCalls
  refresh: () => Promise<void>
}

export function ProfileForm({ profile, calls, refresh }: ProfileFormProps) {
  const [input, setInput] = useState(inputOf(profile))
  const [fault, setFault] = useState<Fault>()
  const { busy, run } = useWork(failure => setFault(faultOf(failure)))
  const tied = (field: keyof ProfileInput) => ({
    name: field,
    value: input[field],
    error: fault?.field === field ? fault.text : undefined,
    onChange: (event: { target: { value: string } }) => setInput({ ...input, [field]: event.target.value }),
  })

  async function save() {
    setFault(undefined)
    setInput(inputOf(await calls.saveProfile(input)))
    await refresh()
    notify({ tone: 'ok', text: 'The invoice details were saved.' })
  }

  return (
    <Card title="Invoice details" lead={taxWords(profile)}>
      <Form className={styles.form} onSubmit={() => run(save)}>
        {fault && !fault.field && <Notice tone="error">{fault.text}</Notice>}
        <div className={styles.fields}>
          <Field label="Name" autoComplete="organization" maxLength={200} {...tied('name')} />
          <SelectField
            label="Country"
            name="country"
            autoComplete="country"
            value={input.country}
            options={countries}
            onChoose={country => setInput({ ...input, country })}
          />
          <TextField label="Address" rows={3} maxLength={500} {...tied('address')} />
          <div className={styles.column}>
            <Field
              label="VAT number"
              optional
              look="mono"
              maxLength={30}
              placeholder="NL123456789B01"
              {...tied('vat_number')}
            />
            <Field label="Email for invoices" type="email" optional autoComplete="email" {...tied('email')} />
          </div>
        </div>
        <div>
          <Button type="submit" busy={busy}>
            Save
          </Button>
        </div>
      </Form>
    </Card>
  )
}

/** For those who may read the details and not change them. */
export function ProfileFacts({ profile }: { profile: BillingProfile }) {
  const { name, address, country, vat_number, email } = profile
  return (
    <Card
      title="Invoice details"
      lead={`${taxWords(profile)} An owner of the organization can change these.`}
    >
      <Facts
        facts={[
          { label: 'Name', value: name ?? 'Not given' },
          { label: 'Country', value: country ? (regions.of(country) ?? country) : 'Not given' },
          { label: 'Address', value: address ?? 'Not given' },
          { label: 'VAT number', value: vat_number ?? 'Not given' },
          { label: 'Email for invoices', value: email ?? "An owner's" },
        ]}
      />
    </Card>
  )
}

/** `field` is undefined for what concerns none of them. */
interface Fault {
  field: keyof ProfileInput | undefined
  text: string
}

const fields: (keyof ProfileInput)[] = ['name', 'address', 'vat_number', 'email']

/** The API begins a message about a field with its name: `email: must be an email address`. */
function faultOf(error: unknown): Fault {
  const text = explain(error)
  const code = codeOf(error)
  if (code === 'vat_number_not_found' || code === 'vat_registry_unavailable')
    return { field: 'vat_number', text }
  const field = fields.find(name => text.startsWith(`${name}: `))
  return { field, text: field ? text.slice(field.length + 2) : text }
}

export const inputOf = ({ name, address, country, vat_number, email }: BillingProfile): ProfileInput => ({
  name: name ?? '',
  address: address ?? '',
  country: country ?? '',
  vat_number: vat_number ?? '',
  email: email ?? '',
})

function taxWords({ tax }: BillingProfile): string {
  if (tax.kind === 'reverse_charge') return 'VAT is reverse-charged: you account for it in your country.'
  if (tax.kind === 'outside_eu') return 'No VAT is charged outside the EU.'
  return `Invoices have ${tax.rate_percent} % VAT. With a VAT number of another EU country the VAT is reverse-charged.`
}
